"""Which of OpenAI's models think before they speak."""

from __future__ import annotations

_REASONS_BY_ITSELF = "gpt-6"


def reasons_by_itself(model: str) -> bool:
    """Whether it reasons before it answers unless the request says otherwise. On a call, reasoning
    is silence; and while such a model reasons, Chat Completions refuses tools."""
    return model.startswith(_REASONS_BY_ITSELF)

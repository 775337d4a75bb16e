"""Words that are meant for the agent's machinery. Callers never hear a sentence that has them."""

from __future__ import annotations

import re

_PLACEHOLDER = re.compile(r"\{\{[^{}]*\}\}|\S+@\S+|https?://\S+|www\.\S+")
_INTERNAL = re.compile(
    r"\b[\w-]+\.(?:pdf|docx?|txt|csv|xlsx?|json|md|ya?ml|html?)\b"
    r"|\b[a-z]{3,}[A-Z]\w+|\b[a-z]+(?:_[a-z0-9]+)+\b|</?[a-z][\w ]*>"
    r"|\b(?i:knowledge ?base|system prompt|webhooks?|json|api|crm|prompt|llm|tool call|"
    r"(?:the|this|a|use|call|run|trigger|invoke) (?:\w+ )?(?:function|tool))\b"
)


def names_internals(text: str) -> bool:
    """Whether ``text`` names a file, a function or a field: ``see prices.pdf``, ``endCall``."""
    return bool(_INTERNAL.search(_PLACEHOLDER.sub(" ", text)))

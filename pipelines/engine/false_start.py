"""An answer that the agent began while the caller had only paused. Pure."""

from __future__ import annotations

from livekit.agents import llm

_MOST_SECONDS = 1.2
"""Of an answer. The caller has not heard enough to know what the agent wanted to say."""


def without_false_starts(history: llm.ChatContext, characters_per_second: float) -> llm.ChatContext:
    """``history`` for the model, as if the agent had waited: what the caller said before and after
    a false start, or in turns without an answer between them, is one message.

    The conversation's own history keeps what was heard of the agent.

    Args:
        characters_per_second: how fast the agent speaks.
    """
    most_characters = _MOST_SECONDS * characters_per_second
    items: list[llm.ChatItem] = []
    for number, item in enumerate(history.items):
        following = history.items[number + 1] if number + 1 < len(history.items) else None
        said = items[-1] if items else None
        if (
            _is_of(said, "user")
            and _is_of(following, "user")
            and _is_fragment(item, most_characters)
        ):
            continue
        before, after = _caller_text(said), _caller_text(item)
        if before is not None and after is not None and isinstance(item, llm.ChatMessage):
            items[-1] = item.model_copy(update={"content": [f"{before} {after}".strip()]})
        else:
            items.append(item)
    return llm.ChatContext(items)


def _is_of(item: llm.ChatItem | None, role: str) -> bool:
    return isinstance(item, llm.ChatMessage) and item.role == role


def _is_fragment(item: llm.ChatItem, most_characters: float) -> bool:
    return (
        isinstance(item, llm.ChatMessage)
        and item.role == "assistant"
        and item.interrupted
        and len(item.text_content or "") <= most_characters
    )


def _caller_text(item: llm.ChatItem | None) -> str | None:
    """What the caller said; None if somebody else said it, or if it is not only text."""
    if not isinstance(item, llm.ChatMessage) or item.role != "user":
        return None
    if not all(isinstance(part, str) for part in item.content):
        return None
    return " ".join(part for part in item.content if isinstance(part, str))

"""What was said in a chat, as it is stored. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import takewhile
from typing import Any, Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, TypeAdapter

ToolOutcome = Literal["would_call", "done", "failed"]
"""``would_call``: nothing was called, because the chat does not run tools."""

_FROZEN = ConfigDict(frozen=True)


class ToolUse(BaseModel):
    """What the agent did besides talking."""

    model_config = _FROZEN
    name: str
    arguments: dict[str, Any]
    outcome: ToolOutcome
    result: str | None = None
    """What the tool answered; ``None`` if it was not called."""


class ChatMessage(BaseModel):
    model_config = _FROZEN
    role: Literal["caller", "agent"]
    text: str
    """Of the agent: empty if it ended the chat without a word, or if its model failed after tools
    were called."""
    created_at: AwareDatetime
    tools: tuple[ToolUse, ...] = ()
    """What the agent used before it said ``text``."""


Messages = tuple[ChatMessage, ...]
_MESSAGES = TypeAdapter(Messages)


def read_messages(document: Iterable[dict[str, Any]]) -> Messages:
    return _MESSAGES.validate_python(document)


def documents_of(messages: Sequence[ChatMessage]) -> list[dict[str, Any]]:
    """As JSON, from which ``read_messages`` makes them again."""
    return [message.model_dump(mode="json") for message in messages]


def unanswered_uses(messages: Messages) -> tuple[ToolUse, ...]:
    """What was used for the caller's last words, which a model then failed to answer."""
    unanswered = takewhile(lambda each: each.role == "caller" or not each.text, reversed(messages))
    return tuple(tool_uses(unanswered))


def tool_uses(messages: Iterable[ChatMessage]) -> Iterator[ToolUse]:
    return (use for message in messages for use in message.tools)

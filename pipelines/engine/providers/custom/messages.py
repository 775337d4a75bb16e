"""JSON messages of our websocket formats: what every kind of them has in common. Pure."""

from __future__ import annotations

import json
from typing import Any

from pipelines.texts.sendable_text import sendable

_LONGEST_REPORT = 200


class BrokenMessage(ValueError):
    """What came is no message of the format."""


class ReportedError(Exception):
    """The server says that it cannot go on. The message is the server's, shortened."""


def encoded(kind: str, **fields: Any) -> str:
    """A message without those fields that are ``None``."""
    given = {name: value for name, value in fields.items() if value is not None}
    return json.dumps({"type": kind, **given}, ensure_ascii=False)


def decoded(text: str) -> dict[str, Any]:
    """
    Raises:
        BrokenMessage: it is no JSON object with a ``type``.
        ReportedError: its type is ``error``.
    """
    try:
        message = json.loads(text)
    except (json.JSONDecodeError, RecursionError):
        raise BrokenMessage("a text message is no JSON") from None
    if not isinstance(message, dict) or not isinstance(message.get("type"), str):
        raise BrokenMessage("a text message is no object with a type")
    if message["type"] == "error":
        raise ReportedError(sendable(str(message.get("message", ""))[:_LONGEST_REPORT]))
    return message


def text_of(message: dict[str, Any], name: str = "text") -> str:
    value = message.get(name)
    if not isinstance(value, str):
        raise BrokenMessage(f"{name} of a {message['type']} message is no string")
    return sendable(value)


def seconds_of(message: dict[str, Any], name: str) -> float | None:
    """Of a field in milliseconds, which may be missing."""
    value = message.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1e9:
        raise BrokenMessage(f"{name} is no number of milliseconds")
    return value / 1000

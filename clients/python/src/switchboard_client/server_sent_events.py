"""Parses server-sent events. Source: HTML Living Standard, section 9.2. Pure."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass

_LINE_END = re.compile(r"\r\n|\n|\r")
_BYTE_ORDER_MARK = "\ufeff"


@dataclass(frozen=True)
class ServerSentEvent:
    """``last_id``: the event's own id or the last one before it, after which a client resumes."""

    name: str
    data: str
    last_id: str | None


class EventParser:
    """Bytes in, whole events out. An incomplete event is kept until more bytes come."""

    def __init__(self) -> None:
        self._decode = codecs.getincrementaldecoder("utf-8")("replace").decode
        self._text = ""
        self._is_first = True
        self._name = ""
        self._data: list[str] = []
        self.last_id: str | None = None
        self.retry_ms: int | None = None
        """How long the server asks to wait before connecting again."""

    def feed(self, chunk: bytes) -> list[ServerSentEvent]:
        self._text += self._decode(chunk)
        if self._is_first and self._text:
            self._text = self._text.removeprefix(_BYTE_ORDER_MARK)
            self._is_first = False
        events = []
        while (end := _LINE_END.search(self._text)) is not None:
            if end.group() == "\r" and end.end() == len(self._text):
                break  # A line feed may follow, which belongs to the same line end.
            line, self._text = self._text[: end.start()], self._text[end.end() :]
            if line:
                self._field(line)
            elif (event := self._dispatch()) is not None:
                events.append(event)
        return events

    def _field(self, line: str) -> None:
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        match name:
            case "event":
                self._name = value
            case "data":
                self._data.append(value)
            case "id" if "\0" not in value:
                self.last_id = value
            case "retry" if value.isdecimal() and value.isascii():
                self.retry_ms = int(value)
            case _:
                return  # A comment, which keeps the connection alive, or an unknown field.

    def _dispatch(self) -> ServerSentEvent | None:
        name, data = self._name, self._data
        self._name, self._data = "", []
        return ServerSentEvent(name or "message", "\n".join(data), self.last_id) if data else None

"""Telnyx's media websocket. Pure.

Source: https://developers.telnyx.com/api-reference/websockets/stream-call-media-over-websocket
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from typing import Any

from carriers.dialect import (
    MULAW_8000,
    Audio,
    Flush,
    HangUp,
    Incoming,
    Marker,
    Outgoing,
    Started,
    StopReason,
    StreamProblem,
)
from carriers.json_message import member, number_of, payload_of, read_object, text_of
from carriers.reorder_window import ReorderWindow
from carriers.stream_progress import StreamProgress

ENCODING = "PCMU"
_IGNORED = frozenset({"connected"})


class TelnyxMediaStream:
    """Telnyx does not promise to send media in order, so a small window sorts it."""

    def __init__(self) -> None:
        self._progress = StreamProgress()
        self._window = ReorderWindow[list[Incoming]]()

    @property
    def unreadable_messages(self) -> int:
        return self._progress.unreadable_messages

    def receive(self, message: str | bytes) -> list[Incoming]:
        document = read_object(message) if isinstance(message, str) else None
        if document is None:
            return self._progress.unreadable()
        match text_of(document, "event"):
            case "media":
                return self._media(document)
            case "start":
                return self._start(document)
            case "dtmf":
                return self._progress.dtmf(text_of(member(document, "dtmf"), "digit"))
            case "mark":
                return self._progress.marker(text_of(member(document, "mark"), "name"))
            case "error":
                return self._problem(member(document, "payload"))
            case "stop":
                return self._end(StopReason.STOPPED)
            case event if event in _IGNORED:
                return []
        return self._progress.unreadable()

    def closed(self) -> list[Incoming]:
        return self._end(StopReason.CLOSED)

    def send(self, message: Outgoing) -> list[str | bytes]:
        if not self._progress.is_running:
            return []
        match message:
            case Audio(payload):
                sound = base64.b64encode(payload).decode()
                # Built by hand: a bridge sends fifty of these a second for each call.
                return [f'{{"event":"media","media":{{"payload":"{sound}"}}}}']
            case Marker(name):
                wire_name = json.dumps(self._progress.markers.add(name))
                return [f'{{"event":"mark","mark":{{"name":{wire_name}}}}}']
            case Flush():
                self._progress.markers.drop()
                return ['{"event":"clear"}']
            case HangUp():
                return []

    def _media(self, document: Mapping[str, Any]) -> list[Incoming]:
        media = member(document, "media")
        if media.get("track") in ("outbound", "outbound_track"):
            return []
        events = self._progress.audio(payload_of(media), number_of(media, "timestamp"))
        number = number_of(media, "chunk")
        if number is None or not self._progress.is_running:
            return events
        # An empty one takes its place too: nothing must wait for it.
        return [event for piece in self._window.put(number, events) for event in piece]

    def _end(self, reason: StopReason) -> list[Incoming]:
        waiting = self._window.rest() if self._progress.is_running else []
        rest = [event for piece in waiting for event in piece]
        return [*rest, *self._progress.stop(reason)]

    def _problem(self, payload: Mapping[str, Any]) -> list[Incoming]:
        if self._progress.is_over:
            return []
        said = [text_of(payload, name) for name in ("code", "title", "detail")]
        code = number_of(payload, "code")
        words = [str(code)] if code is not None and said[0] is None else []
        words += [word for word in said if word is not None]
        return [StreamProblem(": ".join(words)[:500] or "Telnyx reports an error")]

    def _start(self, document: Mapping[str, Any]) -> list[Incoming]:
        start = member(document, "start")
        stream_id = text_of(document, "stream_id")
        call_id = text_of(start, "call_control_id")
        if stream_id is None or call_id is None:
            return self._progress.unreadable()
        sound = member(start, "media_format")
        rate = number_of(sound, "sample_rate")
        if sound.get("encoding", ENCODING) != ENCODING or rate not in (None, 8000):
            return self._progress.unsupported(f"{sound.get('encoding')} at {rate} Hz")
        parameters = member(start, "custom_parameters")
        return self._progress.start(
            Started(
                call_id=call_id,
                stream_id=stream_id,
                token=None,
                incoming=MULAW_8000,
                outgoing=MULAW_8000,
                from_number=text_of(start, "from"),
                to_number=text_of(start, "to"),
                parameters={
                    name: value for name, value in parameters.items() if isinstance(value, str)
                },
            )
        )

"""Vonage's media websocket: texts for events, binary messages for sound. Pure.

Source: https://developer.vonage.com/en/voice/voice-api/concepts/websockets
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from carriers.answers import TOKEN_PARAMETER
from carriers.dialect import (
    L16_8000,
    L16_16000,
    Audio,
    AudioFormat,
    Flush,
    HangUp,
    Incoming,
    Marker,
    Outgoing,
    Started,
    StopReason,
)
from carriers.json_message import member, read_object, text_of
from carriers.stream_progress import StreamProgress, whole_samples

CONTENT_TYPES: Mapping[str, AudioFormat] = {
    "audio/l16;rate=8000": L16_8000,
    "audio/l16;rate=16000": L16_16000,
}
CALL_PARAMETER = "call_uuid"
FROM_PARAMETER = "from_number"
TO_PARAMETER = "to_number"
_MARKER = "marker"
_IGNORED = frozenset({"websocket:cleared", "websocket:disconnected", "websocket:media:update"})
_NOT_PARAMETERS = frozenset({"event", "content-type"})


class VonageMediaStream:
    """The headers of our answer arrive at the top level of the first text."""

    def __init__(self) -> None:
        self._progress = StreamProgress()
        self._heard_bytes = 0

    @property
    def unreadable_messages(self) -> int:
        return self._progress.unreadable_messages

    def receive(self, message: str | bytes) -> list[Incoming]:
        if isinstance(message, bytes):
            return self._audio(message)
        document = read_object(message)
        if document is None:
            return self._progress.unreadable()
        match text_of(document, "event"):
            case "websocket:connected":
                return self._start(document)
            case "websocket:dtmf":
                return self._progress.dtmf(text_of(document, "digit"))
            case "websocket:notify":
                return self._progress.marker(text_of(member(document, "payload"), _MARKER))
            case "websocket:hangup":
                return self._progress.stop(StopReason.STOPPED)
            case event if event in _IGNORED:
                return []
        return self._progress.unreadable()

    def closed(self) -> list[Incoming]:
        return self._progress.stop(StopReason.CLOSED)

    def send(self, message: Outgoing) -> list[str | bytes]:
        if not self._progress.is_running or self._progress.started is None:
            return []
        match message:
            case Audio(payload):
                return list(_frames(payload, self._progress.started.outgoing))
            case Marker(name):
                wire_name = self._progress.markers.add(name)
                return [json.dumps({"action": "notify", "payload": {_MARKER: wire_name}})]
            case Flush():
                self._progress.markers.drop()
                return ['{"action":"clear"}']
            case HangUp():
                return []

    def _audio(self, payload: bytes) -> list[Incoming]:
        if not self._progress.is_running or self._progress.started is None:
            return []
        timestamp_ms = self._progress.started.incoming.duration_ms(self._heard_bytes)
        self._heard_bytes += len(whole_samples(payload, self._progress.started.incoming))
        return self._progress.audio(payload, timestamp_ms)

    def _start(self, document: Mapping[str, Any]) -> list[Incoming]:
        content_type = document.get("content-type")
        spoken = content_type.replace(" ", "").lower() if isinstance(content_type, str) else ""
        sound = CONTENT_TYPES.get(spoken)
        if sound is None:
            return self._progress.unsupported(str(content_type))
        parameters = {
            name: value
            for name, value in document.items()
            if isinstance(value, str) and name not in _NOT_PARAMETERS
        }
        call_id = parameters.pop(CALL_PARAMETER, "")
        return self._progress.start(
            Started(
                call_id=call_id,
                stream_id=call_id,
                token=parameters.pop(TOKEN_PARAMETER, None),
                incoming=sound,
                outgoing=sound,
                from_number=parameters.pop(FROM_PARAMETER, None),
                to_number=parameters.pop(TO_PARAMETER, None),
                parameters=parameters,
            )
        )


def _frames(payload: bytes, sound: AudioFormat) -> list[bytes]:
    """Each message must be exactly 20 ms, so the last one is filled up with silence."""
    size = sound.frame_bytes
    frames = [payload[start : start + size] for start in range(0, len(payload), size)]
    if frames:
        frames[-1] = frames[-1].ljust(size, b"\x00")
    return frames

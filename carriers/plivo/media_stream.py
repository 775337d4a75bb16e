"""Plivo's media websocket. Pure.

Source: https://docs.plivo.com/docs/voice/xml/audiostream, and the types of its own SDK
(``plivo_stream``).
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
)
from carriers.json_message import member, number_of, payload_of, read_object, text_of
from carriers.stream_progress import StreamProgress

ENCODING = "audio/x-mulaw"
_IGNORED = frozenset({"connected", "clearedAudio"})


class PlivoMediaStream:
    """Its ``start`` names neither numbers nor our token: those come in the address."""

    def __init__(self) -> None:
        self._progress = StreamProgress()
        self._stream_id = ""
        """As JSON."""

    @property
    def unreadable_messages(self) -> int:
        return self._progress.unreadable_messages

    def receive(self, message: str | bytes) -> list[Incoming]:
        document = read_object(message) if isinstance(message, str) else None
        if document is None:
            return self._progress.unreadable()
        match text_of(document, "event"):
            case "media":
                return self._media(member(document, "media"))
            case "start":
                return self._start(member(document, "start"))
            case "dtmf":
                return self._progress.dtmf(text_of(member(document, "dtmf"), "digit"))
            case "playedStream":
                return self._progress.marker(text_of(document, "name"))
            case "stop":
                return self._progress.stop(StopReason.STOPPED)
            case event if event in _IGNORED:
                return []
        return self._progress.unreadable()

    def closed(self) -> list[Incoming]:
        return self._progress.stop(StopReason.CLOSED)

    def send(self, message: Outgoing) -> list[str | bytes]:
        if not self._progress.is_running:
            return []
        stream_id = self._stream_id
        match message:
            case Audio(payload):
                sound = base64.b64encode(payload).decode()
                # Built by hand: a bridge sends fifty of these a second for each call.
                return [
                    f'{{"event":"playAudio","streamId":{stream_id},"media":{{"contentType":'
                    f'"{ENCODING}","sampleRate":8000,"payload":"{sound}"}}}}'
                ]
            case Marker(name):
                wire_name = json.dumps(self._progress.markers.add(name))
                return [f'{{"event":"checkpoint","streamId":{stream_id},"name":{wire_name}}}']
            case Flush():
                self._progress.markers.drop()
                return [f'{{"event":"clearAudio","streamId":{stream_id}}}']
            case HangUp():
                return []

    def _media(self, media: Mapping[str, Any]) -> list[Incoming]:
        if media.get("track") == "outbound":
            return []
        return self._progress.audio(payload_of(media), number_of(media, "timestamp"))

    def _start(self, start: Mapping[str, Any]) -> list[Incoming]:
        stream_id, call_id = text_of(start, "streamId"), text_of(start, "callId")
        if stream_id is None or call_id is None:
            return self._progress.unreadable()
        sound = member(start, "mediaFormat")
        rate = number_of(sound, "sampleRate")
        if sound.get("encoding", ENCODING) != ENCODING or rate not in (None, 8000):
            return self._progress.unsupported(f"{sound.get('encoding')} at {rate} Hz")
        if self._progress.started is None:
            self._stream_id = json.dumps(stream_id)
        return self._progress.start(Started(call_id, stream_id, None, MULAW_8000, MULAW_8000))

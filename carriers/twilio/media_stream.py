"""Twilio's media websocket. Pure.

Source: https://www.twilio.com/docs/voice/media-streams/websocket-messages
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from typing import Any

from carriers.answers import TOKEN_PARAMETER
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
from carriers.twilio.parameters import FROM_PARAMETER, TO_PARAMETER

ENCODING = "audio/x-mulaw"
_IGNORED = frozenset({"connected"})


class TwilioMediaStream:
    def __init__(self) -> None:
        self._progress = StreamProgress()
        self._stream_sid = ""
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
                return self._start(document)
            case "dtmf":
                return self._progress.dtmf(text_of(member(document, "dtmf"), "digit"))
            case "mark":
                return self._progress.marker(text_of(member(document, "mark"), "name"))
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
        sid = self._stream_sid
        match message:
            case Audio(payload):
                sound = base64.b64encode(payload).decode()
                # Built by hand: a bridge sends fifty of these a second for each call.
                return [f'{{"event":"media","streamSid":{sid},"media":{{"payload":"{sound}"}}}}']
            case Marker(name):
                wire_name = json.dumps(self._progress.markers.add(name))
                return [f'{{"event":"mark","streamSid":{sid},"mark":{{"name":{wire_name}}}}}']
            case Flush():
                self._progress.markers.drop()
                return [f'{{"event":"clear","streamSid":{sid}}}']
            case HangUp():
                return []

    def _media(self, media: Mapping[str, Any]) -> list[Incoming]:
        if media.get("track") == "outbound":
            return []
        return self._progress.audio(payload_of(media), number_of(media, "timestamp"))

    def _start(self, document: Mapping[str, Any]) -> list[Incoming]:
        start = member(document, "start")
        stream_sid = text_of(start, "streamSid") or text_of(document, "streamSid")
        call_sid = text_of(start, "callSid")
        if stream_sid is None or call_sid is None:
            return self._progress.unreadable()
        sound = member(start, "mediaFormat")
        rate = number_of(sound, "sampleRate")
        if sound.get("encoding", ENCODING) != ENCODING or rate not in (None, 8000):
            return self._progress.unsupported(f"{sound.get('encoding')} at {rate} Hz")
        if self._progress.started is None:
            self._stream_sid = json.dumps(stream_sid)
        given = member(start, "customParameters")
        parameters = {name: value for name, value in given.items() if isinstance(value, str)}
        return self._progress.start(
            Started(
                call_id=call_sid,
                stream_id=stream_sid,
                token=parameters.pop(TOKEN_PARAMETER, None),
                incoming=MULAW_8000,
                outgoing=MULAW_8000,
                from_number=parameters.pop(FROM_PARAMETER, None),
                to_number=parameters.pop(TO_PARAMETER, None),
                parameters=parameters,
            )
        )

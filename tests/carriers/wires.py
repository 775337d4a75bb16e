"""Each carrier's messages on its media websocket, as its documentation shows them."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from carriers.account import CarrierName

Message = str | bytes


@dataclass(frozen=True)
class Wire:
    """``audio`` takes a payload and the frame's number, from 1 on."""

    carrier: CarrierName
    before_start: Callable[[], list[Message]]
    start: Callable[..., Message]
    start_with_unknown_codec: Callable[[], Message]
    audio: Callable[[bytes, int], Message]
    dtmf: Callable[[Any], Message]
    marker_echo: Callable[[str], Message]
    marker_name: Callable[[Mapping[str, Any]], str]
    stop: Callable[[], Message | None]


def _base64(payload: bytes) -> str:
    return base64.b64encode(payload).decode()


def _twilio_start(stream: str = "MZ1", encoding: str = "audio/x-mulaw") -> str:
    return json.dumps(
        {
            "event": "start",
            "sequenceNumber": "1",
            "start": {
                "accountSid": "AC1",
                "streamSid": stream,
                "callSid": "CA1",
                "tracks": ["inbound"],
                "mediaFormat": {"encoding": encoding, "sampleRate": 8000, "channels": 1},
                "customParameters": {"call_token": "t0k3n", "from_number": "+14155550100"},
            },
            "streamSid": stream,
        }
    )


TWILIO = Wire(
    CarrierName.TWILIO,
    before_start=lambda: ['{"event":"connected","protocol":"Call","version":"1.0.0"}'],
    start=_twilio_start,
    start_with_unknown_codec=lambda: _twilio_start(encoding="audio/opus"),
    audio=lambda payload, number: json.dumps(
        {
            "event": "media",
            "sequenceNumber": str(number + 2),
            "media": {
                "track": "inbound",
                "chunk": str(number),
                "timestamp": str((number - 1) * 20),
                "payload": _base64(payload),
            },
            "streamSid": "MZ1",
        }
    ),
    dtmf=lambda digit: json.dumps(
        {
            "event": "dtmf",
            "streamSid": "MZ1",
            "sequenceNumber": "5",
            "dtmf": {"track": "inbound_track", "digit": digit},
        }
    ),
    marker_echo=lambda name: json.dumps(
        {"event": "mark", "sequenceNumber": "4", "streamSid": "MZ1", "mark": {"name": name}}
    ),
    marker_name=lambda sent: str(sent["mark"]["name"]),
    stop=lambda: json.dumps(
        {
            "event": "stop",
            "sequenceNumber": "9",
            "streamSid": "MZ1",
            "stop": {"accountSid": "AC1", "callSid": "CA1"},
        }
    ),
)


def _telnyx_start(stream: str = "s-1", encoding: str = "PCMU") -> str:
    return json.dumps(
        {
            "event": "start",
            "sequence_number": "1",
            "start": {
                "user_id": "u-1",
                "call_control_id": "v3:c-1",
                "call_session_id": "cs-1",
                "from": "+14155550100",
                "to": "+14155550199",
                "tags": [],
                "client_state": "",
                "custom_parameters": {},
                "media_format": {"encoding": encoding, "sample_rate": 8000, "channels": 1},
            },
            "stream_id": stream,
        }
    )


TELNYX = Wire(
    CarrierName.TELNYX,
    before_start=lambda: ['{"event":"connected","version":"1.0.0"}'],
    start=_telnyx_start,
    start_with_unknown_codec=lambda: _telnyx_start(encoding="opus"),
    audio=lambda payload, number: json.dumps(
        {
            "event": "media",
            "sequence_number": str(number + 1),
            "media": {
                "track": "inbound",
                "chunk": str(number),
                "timestamp": str((number - 1) * 20),
                "payload": _base64(payload),
            },
            "stream_id": "s-1",
        }
    ),
    dtmf=lambda digit: json.dumps(
        {
            "event": "dtmf",
            "stream_id": "s-1",
            "occurred_at": "2026-01-01T00:00:00.000000Z",
            "sequence_number": "5",
            "dtmf": {"digit": digit},
        }
    ),
    marker_echo=lambda name: json.dumps(
        {"event": "mark", "sequence_number": "6", "stream_id": "s-1", "mark": {"name": name}}
    ),
    marker_name=lambda sent: str(sent["mark"]["name"]),
    stop=lambda: json.dumps(
        {
            "event": "stop",
            "sequence_number": "7",
            "stop": {"user_id": "u-1", "call_control_id": "v3:c-1"},
            "stream_id": "s-1",
        }
    ),
)


def _plivo_start(stream: str = "s-1", encoding: str = "audio/x-mulaw") -> str:
    return json.dumps(
        {
            "sequenceNumber": 0,
            "event": "start",
            "start": {
                "callId": "c-1",
                "streamId": stream,
                "accountId": "1",
                "tracks": ["inbound"],
                "mediaFormat": {"encoding": encoding, "sampleRate": 8000},
            },
            "extra_headers": "{}",
        }
    )


PLIVO = Wire(
    CarrierName.PLIVO,
    before_start=list,
    start=_plivo_start,
    start_with_unknown_codec=lambda: _plivo_start(encoding="audio/opus"),
    audio=lambda payload, number: json.dumps(
        {
            "sequenceNumber": number,
            "streamId": "s-1",
            "event": "media",
            "media": {
                "track": "inbound",
                "timestamp": str((number - 1) * 20),
                "chunk": number,
                "payload": _base64(payload),
            },
            "extra_headers": "{}",
        }
    ),
    dtmf=lambda digit: json.dumps(
        {
            "event": "dtmf",
            "sequenceNumber": 3,
            "streamId": "s-1",
            "dtmf": {"track": "inbound", "digit": digit, "timestamp": "40"},
            "extra_headers": "{}",
        }
    ),
    marker_echo=lambda name: json.dumps(
        {"event": "playedStream", "sequenceNumber": 4, "streamId": "s-1", "name": name}
    ),
    marker_name=lambda sent: str(sent["name"]),
    stop=lambda: '{"event":"stop","sequenceNumber":9,"streamId":"s-1"}',
)


def _vonage_start(stream: str = "u-1", content_type: str = "audio/l16;rate=16000") -> str:
    return json.dumps(
        {
            "event": "websocket:connected",
            "content-type": content_type,
            "call_uuid": stream,
            "call_token": "t0k3n",
        }
    )


VONAGE = Wire(
    CarrierName.VONAGE,
    before_start=list,
    start=_vonage_start,
    start_with_unknown_codec=lambda: _vonage_start(content_type="audio/opus;rate=48000"),
    audio=lambda payload, number: payload,
    dtmf=lambda digit: json.dumps({"event": "websocket:dtmf", "digit": digit, "duration": 260}),
    marker_echo=lambda name: json.dumps({"event": "websocket:notify", "payload": {"marker": name}}),
    marker_name=lambda sent: str(sent["payload"]["marker"]),
    stop=lambda: None,
)
WIRES = {wire.carrier: wire for wire in (TWILIO, TELNYX, PLIVO, VONAGE)}

from __future__ import annotations

import json

from carriers.dialect import MULAW_8000, Audio, Flush, Marker, Started
from carriers.twilio.media_stream import TwilioMediaStream
from tests.carriers.wires import TWILIO


def test_the_start_names_the_call_and_brings_the_token() -> None:
    assert TwilioMediaStream().receive(TWILIO.start()) == [
        Started("CA1", "MZ1", "t0k3n", MULAW_8000, MULAW_8000, "+14155550100")
    ]


def test_what_we_send_is_what_twilio_reads() -> None:
    stream = TwilioMediaStream()
    stream.receive(TWILIO.start())
    sent = [
        json.loads(message)
        for outgoing in (Audio(b"\xff\x00"), Marker('a "name"'), Flush())
        for message in stream.send(outgoing)
    ]
    assert sent == [
        {"event": "media", "streamSid": "MZ1", "media": {"payload": "/wA="}},
        {"event": "mark", "streamSid": "MZ1", "mark": {"name": '1-a "name"'}},
        {"event": "clear", "streamSid": "MZ1"},
    ]


def test_our_own_voice_on_the_outbound_track_is_not_heard() -> None:
    stream = TwilioMediaStream()
    stream.receive(TWILIO.start())
    message = json.loads(TWILIO.audio(b"\x00" * 160, 1))
    message["media"]["track"] = "outbound"
    assert stream.receive(json.dumps(message)) == []
    assert stream.unreadable_messages == 0

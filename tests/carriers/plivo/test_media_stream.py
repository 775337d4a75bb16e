from __future__ import annotations

import json

from carriers.dialect import MULAW_8000, Audio, Flush, Marker, Started
from carriers.plivo.media_stream import PlivoMediaStream
from tests.carriers.wires import PLIVO


def test_the_start_names_the_call_only() -> None:
    assert PlivoMediaStream().receive(PLIVO.start()) == [
        Started("c-1", "s-1", None, MULAW_8000, MULAW_8000)
    ]


def test_what_we_send_is_what_plivo_reads() -> None:
    stream = PlivoMediaStream()
    stream.receive(PLIVO.start())
    sent = [
        json.loads(message)
        for outgoing in (Audio(b"\xff\x00"), Marker("m"), Flush())
        for message in stream.send(outgoing)
    ]
    media = {"contentType": "audio/x-mulaw", "sampleRate": 8000, "payload": "/wA="}
    assert sent == [
        {"event": "playAudio", "streamId": "s-1", "media": media},
        {"event": "checkpoint", "streamId": "s-1", "name": "1-m"},
        {"event": "clearAudio", "streamId": "s-1"},
    ]


def test_plivos_word_that_it_has_flushed_is_no_event() -> None:
    stream = PlivoMediaStream()
    stream.receive(PLIVO.start())
    message = '{"event":"clearedAudio","sequenceNumber":8,"streamId":"s-1"}'
    assert stream.receive(message) == []
    assert stream.unreadable_messages == 0

from __future__ import annotations

import json

import pytest

from carriers.dialect import (
    L16_8000,
    L16_16000,
    Audio,
    AudioFormat,
    Flush,
    Marker,
    Started,
    Stopped,
    StopReason,
)
from carriers.vonage.media_stream import VonageMediaStream
from tests.carriers.wires import VONAGE


def _started(content_type: str = "audio/l16;rate=16000") -> VonageMediaStream:
    stream = VonageMediaStream()
    stream.receive(VONAGE.start(content_type=content_type))
    return stream


@pytest.mark.parametrize(
    ("content_type", "sound"),
    [
        ("audio/l16;rate=8000", L16_8000),
        ("audio/l16;rate=16000", L16_16000),
        ("audio/L16; rate=16000", L16_16000),
    ],
)
def test_the_start_names_the_format_and_what_our_answer_gave_it(
    content_type: str, sound: AudioFormat
) -> None:
    document = json.loads(VONAGE.start(content_type=content_type))
    document |= {"to_number": "+14155550199", "own": "value", "odd": 5}
    assert VonageMediaStream().receive(json.dumps(document)) == [
        Started("u-1", "u-1", "t0k3n", sound, sound, None, "+14155550199", {"own": "value"})
    ]


def test_what_we_send_is_what_vonage_reads() -> None:
    stream = _started()
    assert stream.send(Audio(b"\x01\x02" * 320)) == [b"\x01\x02" * 320]
    assert stream.send(Marker("m")) == ['{"action": "notify", "payload": {"marker": "1-m"}}']
    assert stream.send(Flush()) == ['{"action":"clear"}']


def test_a_message_is_always_twenty_milliseconds_and_the_last_is_filled_up() -> None:
    frames = _started("audio/l16;rate=8000").send(Audio(b"\x01" * 500))
    assert frames == [b"\x01" * 320, b"\x01" * 180 + b"\x00" * 140]


def test_half_a_sample_at_the_end_is_dropped() -> None:
    stream = _started()
    assert stream.receive(b"\x01\x02\x03") == [Audio(b"\x01\x02", 0)]
    assert stream.receive(b"\x01") == []
    assert stream.receive(b"") == []


def test_time_is_counted_by_what_was_heard() -> None:
    stream = _started()
    heard = [stream.receive(b"\x00" * 640)[0] for _ in range(3)]
    assert [event.timestamp_ms for event in heard if isinstance(event, Audio)] == [0, 20, 40]


def test_that_the_other_side_has_hung_up_ends_the_stream() -> None:
    stream = _started()
    assert stream.receive('{"event":"websocket:hangup"}') == [Stopped(StopReason.STOPPED)]


def test_vonages_word_that_it_has_flushed_is_no_event() -> None:
    stream = _started()
    assert stream.receive('{"event":"websocket:cleared"}') == []
    assert stream.unreadable_messages == 0

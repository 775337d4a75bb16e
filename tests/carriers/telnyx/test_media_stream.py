from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from carriers.dialect import (
    MULAW_8000,
    Audio,
    Flush,
    Marker,
    Started,
    Stopped,
    StopReason,
    StreamProblem,
)
from carriers.telnyx.media_stream import TelnyxMediaStream
from tests.carriers.wires import TELNYX


def _started() -> TelnyxMediaStream:
    stream = TelnyxMediaStream()
    stream.receive(TELNYX.start())
    return stream


def _frame(number: int) -> bytes:
    return bytes([number % 256]) * 160


def test_the_start_names_the_call_and_both_numbers() -> None:
    assert TelnyxMediaStream().receive(TELNYX.start()) == [
        Started("v3:c-1", "s-1", None, MULAW_8000, MULAW_8000, "+14155550100", "+14155550199")
    ]


def test_what_we_send_is_what_telnyx_reads() -> None:
    sent = [
        json.loads(message)
        for stream in [_started()]
        for outgoing in (Audio(b"\xff\x00"), Marker("m"), Flush())
        for message in stream.send(outgoing)
    ]
    assert sent == [
        {"event": "media", "media": {"payload": "/wA="}},
        {"event": "mark", "mark": {"name": "1-m"}},
        {"event": "clear"},
    ]


def test_frames_that_overtook_each_other_are_put_in_order() -> None:
    stream = _started()
    heard = [
        event
        for number in (1, 3, 2, 5, 6, 4, 7)
        for event in stream.receive(TELNYX.audio(_frame(number), number))
    ]
    assert heard == [Audio(_frame(number), (number - 1) * 20) for number in range(1, 8)]


def test_a_lost_frame_holds_up_the_others_for_no_more_than_three_frames() -> None:
    stream = _started()
    heard = [len(stream.receive(TELNYX.audio(_frame(n), n))) for n in (1, 3, 4, 5, 6)]
    assert heard == [1, 0, 0, 3, 1]


def test_frames_that_wait_are_heard_before_the_end() -> None:
    for end in (str(TELNYX.stop()), None):
        stream = _started()
        stream.receive(TELNYX.audio(_frame(1), 1))
        stream.receive(TELNYX.audio(_frame(3), 3))
        events = stream.closed() if end is None else stream.receive(end)
        reason = StopReason.CLOSED if end is None else StopReason.STOPPED
        assert events == [Audio(_frame(3), 40), Stopped(reason)]


def test_frames_without_a_number_are_heard_as_they_come() -> None:
    stream = _started()
    message = json.loads(TELNYX.audio(_frame(9), 9))
    del message["media"]["chunk"]
    assert stream.receive(json.dumps(message)) == [Audio(_frame(9), 160)]


def test_an_error_of_telnyx_is_told_and_ends_nothing() -> None:
    stream = _started()
    message = {
        "event": "error",
        "payload": {"code": 100003, "title": "malformed_frame", "detail": "not base64"},
        "stream_id": "s-1",
    }
    assert stream.receive(json.dumps(message)) == [
        StreamProblem("100003: malformed_frame: not base64")
    ]
    assert stream.receive('{"event":"error"}') == [StreamProblem("Telnyx reports an error")]
    assert stream.receive(TELNYX.audio(_frame(1), 1)) == [Audio(_frame(1), 0)]


@given(st.lists(st.integers(0, 3), min_size=1, max_size=80))
def test_frames_at_most_three_places_late_are_all_heard_in_order(delays: list[int]) -> None:
    stream = _started()
    late = sorted(
        range(1, len(delays) + 1), key=lambda number: (number + delays[number - 1], number)
    )
    heard = [
        event for number in late for event in stream.receive(TELNYX.audio(_frame(number), number))
    ]
    heard += stream.closed()[:-1]
    assert heard == [Audio(_frame(n), (n - 1) * 20) for n in range(1, len(delays) + 1)]

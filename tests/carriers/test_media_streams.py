"""What holds for the media streams of all carriers, whatever they send."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from carriers.account import CarrierName
from carriers.dialect import (
    Audio,
    Dtmf,
    Flush,
    HangUp,
    Incoming,
    Marker,
    MarkerPlayed,
    MediaStream,
    Started,
    Stopped,
    StopReason,
    StreamProblem,
)
from carriers.registry import carrier_of
from tests.carriers.wires import WIRES, Wire

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=12), inner, max_size=4)
    ),
    max_leaves=12,
)
EVERY_EVENT = [
    "connected",
    "start",
    "media",
    "dtmf",
    "mark",
    "stop",
    "error",
    "playedStream",
    "clearedAudio",
    "websocket:connected",
    "websocket:dtmf",
    "websocket:notify",
    "websocket:cleared",
    "unheard-of",
]
NAMES = [
    "event",
    "start",
    "media",
    "dtmf",
    "mark",
    "stop",
    "payload",
    "name",
    "digit",
    "track",
    "chunk",
    "timestamp",
    "streamSid",
    "callSid",
    "stream_id",
    "call_control_id",
    "streamId",
    "callId",
    "mediaFormat",
    "media_format",
    "encoding",
    "sampleRate",
    "sample_rate",
    "customParameters",
    "content-type",
    "call_token",
    "custom_parameters",
]
FIELDS = st.dictionaries(st.sampled_from(NAMES), JSON, max_size=6)
ODD_OBJECTS = st.builds(
    lambda event, fields, inner: {
        **dict.fromkeys(("media", "start", "dtmf", "mark", "payload"), inner),
        **fields,
        "event": event,
    },
    st.sampled_from(EVERY_EVENT),
    FIELDS,
    FIELDS,
)


@pytest.fixture(params=list(CarrierName))
def wire(request: pytest.FixtureRequest) -> Wire:
    return WIRES[request.param]


def _stream(wire: Wire) -> MediaStream:
    stream: MediaStream = carrier_of(wire.carrier).media_stream()
    return stream


def _started(wire: Wire) -> MediaStream:
    stream = _stream(wire)
    assert isinstance(stream.receive(wire.start())[-1], Started)
    return stream


def _wire_name(wire: Wire, sent: list[str | bytes]) -> str:
    (message,) = sent
    return wire.marker_name(json.loads(message))


def test_a_whole_call_in_order(wire: Wire) -> None:
    stream = _stream(wire)
    events: list[Incoming] = []
    for message in [
        *wire.before_start(),
        wire.start(),
        wire.audio(b"\x01\x02" * 160, 1),
        wire.dtmf("5"),
        wire.audio(b"\x03\x04" * 160, 2),
    ]:
        events += stream.receive(message)
    sent = stream.send(Marker("greeting"))
    events += stream.receive(wire.marker_echo(_wire_name(wire, sent)))
    if (stop := wire.stop()) is not None:
        events += stream.receive(stop)
    events += stream.closed()
    kinds = [type(event) for event in events]
    assert kinds == [Started, Audio, Dtmf, Audio, MarkerPlayed, Stopped]
    assert events[1] == Audio(b"\x01\x02" * 160, 0)
    assert events[2] == Dtmf("5")
    assert events[4] == MarkerPlayed("greeting")
    assert stream.unreadable_messages == 0


def test_a_socket_that_closes_without_a_word_ends_the_stream_once(wire: Wire) -> None:
    stream = _started(wire)
    assert stream.closed() == [Stopped(StopReason.CLOSED)]
    assert stream.closed() == []


def test_after_its_end_a_stream_says_and_sends_nothing(wire: Wire) -> None:
    stream = _started(wire)
    stream.closed()
    for message in (wire.start(), wire.audio(b"\x00" * 320, 9), wire.dtmf("1")):
        assert stream.receive(message) == []
    assert stream.send(Audio(b"\x00" * 320)) == stream.send(Marker("m")) == []
    assert stream.send(Flush()) == []


def test_before_its_start_a_stream_says_and_sends_nothing(wire: Wire) -> None:
    stream = _stream(wire)
    assert stream.receive(wire.audio(b"\x00" * 320, 1)) == []
    assert stream.receive(wire.dtmf("1")) == []
    assert stream.send(Audio(b"\x00" * 320)) == stream.send(Flush()) == []


def test_a_second_start_changes_nothing(wire: Wire) -> None:
    stream = _stream(wire)
    stream.receive(wire.start("first"))
    before = stream.send(Flush())
    assert [type(event) for event in stream.receive(wire.start("second"))] == [StreamProblem]
    assert stream.send(Flush()) == before
    assert isinstance(stream.receive(wire.audio(b"\x01\x00" * 160, 1))[0], Audio)


def test_an_unknown_codec_ends_the_stream_with_its_name(wire: Wire) -> None:
    problem, stopped = _stream(wire).receive(wire.start_with_unknown_codec())
    assert isinstance(problem, StreamProblem)
    assert "opus" in problem.detail
    assert stopped == Stopped(StopReason.UNSUPPORTED_FORMAT)


def test_empty_sound_is_ignored_and_the_next_is_heard(wire: Wire) -> None:
    stream = _started(wire)
    assert stream.receive(wire.audio(b"", 1)) == []
    assert len(stream.receive(wire.audio(b"\x01\x00" * 160, 2))) == 1


def test_a_marker_comes_back_once_and_by_its_own_name(wire: Wire) -> None:
    stream = _started(wire)
    first = _wire_name(wire, stream.send(Marker("same")))
    second = _wire_name(wire, stream.send(Marker("same")))
    assert first != second
    assert stream.receive(wire.marker_echo(second)) == [MarkerPlayed("same")]
    assert stream.receive(wire.marker_echo(first)) == [MarkerPlayed("same")]
    assert stream.receive(wire.marker_echo(first)) == []
    assert stream.receive(wire.marker_echo("never sent")) == []


def test_a_marker_that_was_flushed_is_never_reported_as_heard(wire: Wire) -> None:
    stream = _started(wire)
    flushed = _wire_name(wire, stream.send(Marker("m")))
    assert len(stream.send(Flush())) == 1
    after = _wire_name(wire, stream.send(Marker("m")))
    assert stream.receive(wire.marker_echo(flushed)) == []
    assert stream.receive(wire.marker_echo(after)) == [MarkerPlayed("m")]


def test_markers_that_never_come_back_take_no_more_and_more_memory(wire: Wire) -> None:
    stream = _started(wire)
    names = [_wire_name(wire, stream.send(Marker("m"))) for _ in range(1000)]
    heard = [name for name in names if stream.receive(wire.marker_echo(name))]
    assert heard == names[-256:]


def test_hanging_up_is_left_to_the_rest_api(wire: Wire) -> None:
    assert _started(wire).send(HangUp()) == []


@pytest.mark.parametrize("digit", ["0", "9", "*", "#", "A", "d"])
def test_every_key_is_heard(wire: Wire, digit: str) -> None:
    assert _started(wire).receive(wire.dtmf(digit)) == [Dtmf(digit.upper())]


@pytest.mark.parametrize("digit", ["", "10", "x", "٣", None, 5, ["1"]])
def test_what_is_no_key_ends_nothing(wire: Wire, digit: Any) -> None:
    stream = _started(wire)
    assert stream.receive(wire.dtmf(digit)) == []
    assert stream.unreadable_messages == 1
    assert stream.receive(wire.dtmf("1")) == [Dtmf("1")]


@pytest.mark.parametrize(
    "message",
    [
        *("", "{", "null", "[]", "5", '"start"', "{}", '{"event":null}', '{"event":[]}'),
        *('{"event":"media"}', '{"event":"start"}', '{"event":"start","start":[]}'),
        "[" * 100_000,
    ],
    ids=lambda message: message[:20],
)
def test_malformed_messages_end_nothing(wire: Wire, message: str) -> None:
    for stream in (_stream(wire), _started(wire)):
        assert stream.receive(message) == []
        assert stream.unreadable_messages == 1


@given(st.data())
def test_nothing_that_a_carrier_sends_raises_or_breaks_the_order(data: st.DataObject) -> None:
    wire = WIRES[data.draw(st.sampled_from(list(CarrierName)))]
    good = st.one_of(
        st.builds(wire.start, st.sampled_from(["a", "b"])),
        st.builds(wire.audio, st.binary(max_size=400), st.integers(0, 50)),
        st.builds(wire.dtmf, st.sampled_from("0123456789*#")),
        st.builds(wire.marker_echo, st.sampled_from(["1-m", "2-m", "x"])),
    )
    odd = st.one_of(
        st.text(max_size=50),
        st.binary(max_size=50),
        ODD_OBJECTS.map(json.dumps),
        JSON.map(json.dumps),
    )
    stream = _stream(wire)
    events: list[Incoming] = []
    for message in data.draw(st.lists(good | odd, max_size=25)):
        events += stream.receive(message)
        if data.draw(st.booleans()):
            for outgoing in (Marker("m"), Audio(b"\x00" * 33), Flush()):
                for sent in stream.send(outgoing):
                    assert isinstance(sent, bytes) or isinstance(json.loads(sent), dict)
    events += stream.closed()
    kinds = [type(event) for event in events]
    assert kinds.count(Started) <= 1
    assert kinds.count(Stopped) == 1
    assert kinds[-1] is Stopped
    if Started in kinds:
        assert not {Audio, Dtmf, MarkerPlayed} & set(kinds[: kinds.index(Started)])
    else:
        assert not {Audio, Dtmf, MarkerPlayed} & set(kinds)


@given(st.binary(min_size=1, max_size=2000), st.sampled_from(list(CarrierName)))
def test_sound_goes_out_as_the_carrier_wants_it(payload: bytes, carrier: CarrierName) -> None:
    wire = WIRES[carrier]
    sent = _started(wire).send(Audio(payload))
    if carrier is CarrierName.VONAGE:
        frames = [frame for frame in sent if isinstance(frame, bytes)]
        assert frames == sent
        assert {len(frame) for frame in frames} == {640}
        assert b"".join(frames)[: len(payload)] == payload
        assert not any(b"".join(frames)[len(payload) :])
    else:
        (message,) = sent
        media = json.loads(message)["media"]
        assert base64.b64decode(media["payload"]) == payload

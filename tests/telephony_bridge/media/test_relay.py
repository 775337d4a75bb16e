"""What a relay does with ends that are slow, or that break its rules."""

from __future__ import annotations

import asyncio
import base64
import json
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any, cast
from uuid import uuid4

import pytest
from structlog.testing import capture_logs

from carriers.api import CarrierApi, CarrierProblem, DtmfWay, ProblemKind
from carriers.dialect import MULAW_8000, Incoming, MediaStream, Started
from carriers.dtmf_tones import dtmf_sound
from carriers.twilio.media_stream import TwilioMediaStream
from contracts.phone_media import (
    DtmfReceived,
    Flush,
    FrameHeader,
    FromBridge,
    FromWorker,
    HangUp,
    LegClosed,
    LegFormat,
    SendDtmf,
    write_frame,
)
from telephony_bridge.media import relay as relay_module
from telephony_bridge.media.carrier_socket import SocketClosed
from telephony_bridge.media.relay import (
    MOST_KEYS_AT_ONCE,
    MOST_SOUND_AT_ONCE_MS,
    CarrierLeg,
    PhoneRelay,
)
from telephony_bridge.media.sentences import Sentence
from telephony_bridge.media.worker_line import LegTaken
from telephony_bridge.tickets import LegTicket
from tests.runtime.until import until

CALL_SID = "CA1"
START = json.dumps(
    {"event": "start", "start": {"streamSid": "MZ1", "callSid": CALL_SID, "mediaFormat": {}}}
)
SAMPLES = b"\x7f" * 160
MUCH = 1_000_000
KEY_SECONDS = 0.02


def media(samples: bytes = SAMPLES) -> str:
    sound = base64.b64encode(samples).decode()
    return json.dumps({"event": "media", "media": {"track": "inbound", "payload": sound}})


class Socket:
    """The carrier's end. Implements ``CarrierSocket``."""

    def __init__(self) -> None:
        self.sent: list[str] = []
        self.waiting_bytes = 0
        self.is_closed = asyncio.Event()
        self.say: Callable[[str | bytes], None] | None = None

    async def receive(self) -> str | bytes:
        raise AssertionError("the stream has started")

    async def listen(self, on_message: Callable[[str | bytes], None]) -> None:
        self.say = on_message
        await self.is_closed.wait()

    def send(self, message: str | bytes) -> None:
        if self.is_closed.is_set():
            raise SocketClosed
        self.sent.append(str(message))

    async def close(self) -> None:
        self.is_closed.set()

    @property
    def sounds(self) -> list[bytes]:
        messages = [json.loads(each) for each in self.sent]
        return [base64.b64decode(each["media"]["payload"]) for each in messages if "media" in each]

    @property
    def events(self) -> list[str]:
        return [json.loads(each)["event"] for each in self.sent]


class Api:
    """Of the carrier. It takes no key before the test lets it."""

    def __init__(self) -> None:
        self.hung_up: list[str] = []
        self.takes_keys = asyncio.Event()
        self.keys: list[str] = []
        self.problem: ProblemKind | None = None
        self.keys_taken_at = self.hung_up_at = 0.0

    async def hang_up(self, call_id: str) -> None:
        self.hung_up.append(call_id)
        self.hung_up_at = time.monotonic()

    async def send_dtmf(self, call_id: str, digits: str) -> None:
        await self.takes_keys.wait()
        if self.problem is not None:
            raise CarrierProblem(self.problem, "No.")
        self.keys.append(digits)
        self.keys_taken_at = time.monotonic()


class Line:
    """The worker's end, as ``open_line`` gives it."""

    def __init__(self) -> None:
        self.got: list[bytes | FromBridge] = []
        self.waiting_bytes = 0
        self.is_over = asyncio.Event()
        self.say: Callable[[bytes | FromWorker], None] | None = None

    def send(self, message: bytes | FromBridge) -> None:
        self.got.append(message)

    async def closed(self) -> str:
        await self.is_over.wait()
        return "1006"

    async def close(self) -> None:
        self.is_over.set()


class Setting:
    def __init__(self) -> None:
        self.socket, self.api, self.line = Socket(), Api(), Line()
        self.stream: MediaStream = TwilioMediaStream()
        self.dtmf = DtmfWay.REST

    def carrier(self) -> CarrierLeg:
        [started] = self.stream.receive(START)
        assert isinstance(started, Started)
        api = cast(CarrierApi, self.api)
        return CarrierLeg(self.socket, self.stream, started, [], api, self.dtmf)

    def carrier_says(self, message: str) -> None:
        assert self.socket.say is not None
        self.socket.say(message)

    def worker_says(self, message: bytes | FromWorker) -> None:
        assert self.line.say is not None
        self.line.say(message)

    @asynccontextmanager
    async def relaying(self) -> AsyncIterator[PhoneRelay]:
        """Waits for its end, which the block has to bring about."""
        ticket = LegTicket(
            call_id=uuid4(),
            tenant_id=uuid4(),
            participant_id=uuid4(),
            attempt_id=uuid4(),
            account_id=uuid4(),
            carrier="twilio",
            carrier_call_id=CALL_SID,
            direction="inbound",
            from_number="+14155550142",
            to_number="+14155550100",
        )
        relay = PhoneRelay(ticket, self.carrier(), cast(Any, None))
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(relay.run())
            await until(lambda: self.socket.say is not None)
            yield relay
        assert self.socket.is_closed.is_set()


@pytest.fixture
async def setting(monkeypatch: pytest.MonkeyPatch) -> Setting:
    setting = Setting()

    async def open_line(
        _redis: Any, _leg: Any, _opened: Any, on_message: Any, _within: Any
    ) -> Line:
        setting.line.say = on_message
        return setting.line

    monkeypatch.setattr(relay_module, "open_line", open_line)
    monkeypatch.setattr(relay_module, "CARRIER_KEY_SECONDS", KEY_SECONDS)
    return setting


def frame(sequence: int, *, is_marked: bool = False) -> bytes:
    return write_frame(FrameHeader(sequence, sequence * 20, is_marked), SAMPLES)


async def test_sound_passes_in_the_call_that_brings_it(setting: Setting) -> None:
    async with setting.relaying() as relay:
        setting.carrier_says(media())
        assert setting.line.got == [frame(0)]
        setting.worker_says(frame(0))
        assert setting.socket.events == ["media"]
        relay.hang_up()
    assert setting.api.hung_up == [CALL_SID]
    assert setting.line.got[1:] == [LegClosed(cause="hung_up")]


async def test_a_carrier_that_takes_nothing_gets_no_old_sound(setting: Setting) -> None:
    """What is no sound still comes."""
    async with setting.relaying() as relay:
        setting.socket.waiting_bytes = MUCH
        setting.worker_says(frame(0, is_marked=True))
        setting.worker_says(Flush())
        assert setting.socket.events == ["mark", "clear"]
        setting.socket.waiting_bytes = 0
        setting.worker_says(frame(1))
        assert setting.socket.events[2:] == ["media"]
        relay.hang_up()


async def test_a_worker_that_takes_nothing_gets_no_old_sound(setting: Setting) -> None:
    async with setting.relaying() as relay:
        setting.line.waiting_bytes = MUCH
        setting.carrier_says(media())
        setting.carrier_says(json.dumps({"event": "dtmf", "dtmf": {"digit": "5"}}))
        assert setting.line.got == [DtmfReceived(digits="5")]
        relay.hang_up()


async def test_keys_that_a_carrier_is_slow_to_press_hold_up_no_voice(setting: Setting) -> None:
    async with setting.relaying() as relay:
        setting.worker_says(SendDtmf(digits="1"))
        setting.worker_says(SendDtmf(digits="2"))
        await asyncio.sleep(0)
        setting.worker_says(frame(0))
        assert setting.socket.events == ["media"]
        setting.api.takes_keys.set()
        await until(lambda: setting.api.keys == ["1", "2"])
        relay.hang_up()


async def test_a_worker_that_hangs_up_ends_the_leg(setting: Setting) -> None:
    async with setting.relaying():
        setting.worker_says(HangUp())
        setting.worker_says(frame(0))
    assert setting.socket.events == []
    assert setting.api.hung_up == [CALL_SID]


async def test_keys_that_were_asked_for_are_pressed_before_the_line_is_hung_up(
    setting: Setting,
) -> None:
    async with setting.relaying():
        setting.worker_says(SendDtmf(digits="1"))
        setting.worker_says(SendDtmf(digits="2"))
        setting.worker_says(HangUp())
        await asyncio.sleep(0)
        assert setting.api.hung_up == []
        setting.api.takes_keys.set()
    assert setting.api.keys == ["1", "2"]
    assert setting.api.hung_up == [CALL_SID]


async def test_a_carrier_has_time_to_press_the_keys_that_it_has_taken(setting: Setting) -> None:
    setting.api.takes_keys.set()
    async with setting.relaying():
        setting.worker_says(SendDtmf(digits="1234"))
        setting.worker_says(HangUp())
    assert setting.api.hung_up_at - setting.api.keys_taken_at >= 4 * KEY_SECONDS


async def test_tones_that_were_asked_for_are_played_before_the_line_is_hung_up(
    setting: Setting,
) -> None:
    setting.dtmf = DtmfWay.TONES
    async with setting.relaying():
        setting.worker_says(SendDtmf(digits="1"))
        setting.worker_says(frame(0))
        setting.worker_says(HangUp())
        await asyncio.sleep(0)
        assert setting.api.hung_up == []
    tones = dtmf_sound("1", MULAW_8000)
    assert b"".join(setting.socket.sounds) == tones
    assert setting.api.hung_up == [CALL_SID]


@pytest.mark.parametrize(
    ("problem", "sounded"), [(ProblemKind.REFUSED, "123"), (ProblemKind.UNREACHABLE, "")]
)
async def test_keys_that_a_carrier_refuses_to_press_are_sent_as_sound_in_their_order(
    setting: Setting, problem: ProblemKind, sounded: str
) -> None:
    """One that gave no answer may have pressed them: twice would be another entry."""
    setting.api.problem = problem
    async with setting.relaying():
        setting.worker_says(SendDtmf(digits="12"))
        setting.worker_says(SendDtmf(digits="3"))
        setting.worker_says(HangUp())
        setting.api.takes_keys.set()
    assert b"".join(setting.socket.sounds) == dtmf_sound(sounded, MULAW_8000)
    assert setting.api.hung_up == [CALL_SID]


async def test_a_barge_in_cuts_no_key_that_is_being_played(setting: Setting) -> None:
    setting.dtmf = DtmfWay.TONES
    async with setting.relaying() as relay:
        setting.worker_says(SendDtmf(digits="1"))
        setting.worker_says(frame(0))
        setting.worker_says(Flush())
        assert set(setting.socket.events) == {"media"}
        assert b"".join(setting.socket.sounds) == dtmf_sound("1", MULAW_8000)
        relay.hang_up()


async def test_keys_are_whole_although_the_workers_frames_come_together_after_a_stall(
    setting: Setting,
) -> None:
    setting.dtmf = DtmfWay.TONES
    async with setting.relaying():
        setting.worker_says(SendDtmf(digits="12"))
        for number in range(30):
            setting.worker_says(frame(number))
        setting.socket.waiting_bytes = MUCH
        setting.worker_says(HangUp())
    assert b"".join(setting.socket.sounds) == dtmf_sound("12", MULAW_8000)


async def test_a_carrier_that_brings_sound_faster_than_anybody_speaks_is_cut(
    setting: Setting,
) -> None:
    """What a connection has held up for some seconds still comes."""
    async with setting.relaying() as relay:
        for _ in range(MOST_SOUND_AT_ONCE_MS // 20 + 50):
            setting.carrier_says(media())
        heard = len(setting.line.got)
        assert MOST_SOUND_AT_ONCE_MS // 20 <= heard < MOST_SOUND_AT_ONCE_MS // 20 + 25
        relay.hang_up()


async def test_a_carrier_that_presses_keys_without_end_is_cut(setting: Setting) -> None:
    async with setting.relaying() as relay:
        for _ in range(MOST_KEYS_AT_ONCE * 2):
            setting.carrier_says(json.dumps({"event": "dtmf", "dtmf": {"digit": "#"}}))
        assert MOST_KEYS_AT_ONCE <= len(setting.line.got) < MOST_KEYS_AT_ONCE + 10
        relay.hang_up()


async def test_a_carrier_that_never_presses_keys_is_hung_up_all_the_same(
    setting: Setting, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(relay_module, "KEYS_SECONDS", 0.01)
    async with setting.relaying():
        setting.worker_says(SendDtmf(digits="1"))
        setting.worker_says(HangUp())
    assert setting.api.keys == []
    assert setting.api.hung_up == [CALL_SID]


async def test_a_carrier_that_stops_is_told_to_the_worker_and_hung_up(setting: Setting) -> None:
    async with setting.relaying():
        setting.carrier_says('{"event":"stop"}')
    assert setting.line.got == [LegClosed(cause="hung_up", detail="stopped")]
    assert setting.api.hung_up == [CALL_SID]


async def test_a_fault_of_ours_closes_the_line_and_is_logged(setting: Setting) -> None:
    class Faulty(TwilioMediaStream):
        def receive(self, message: str | bytes) -> list[Incoming]:
            if message == START:
                return super().receive(message)
            raise RuntimeError("a fault of ours")

    setting.stream = Faulty()
    with capture_logs() as logged:
        async with setting.relaying():
            setting.carrier_says(media())
    assert setting.api.hung_up == [CALL_SID]
    [fault] = [line for line in logged if line["log_level"] == "error"]
    assert fault["event"] == "leg_failed"
    assert fault["call_id"]


async def test_a_leg_that_another_websocket_carries_is_not_hung_up(
    setting: Setting, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def open_line(*_: Any) -> Line:
        raise LegTaken("409")

    monkeypatch.setattr(relay_module, "open_line", open_line)
    async with setting.relaying():
        pass
    assert setting.api.hung_up == []


async def test_a_leg_whose_lost_worker_holds_it_for_taken_is_hung_up(
    setting: Setting, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other websocket is the one that broke, which the worker has not noticed."""
    opened: list[Line] = []

    async def open_line(*_: Any) -> Line:
        if opened:
            raise LegTaken("409")
        opened.append(setting.line)
        return setting.line

    said: list[Sentence] = []

    def sentence_frames(sentence: Sentence, _: LegFormat) -> list[bytes]:
        said.append(sentence)
        return []

    monkeypatch.setattr(relay_module, "open_line", open_line)
    monkeypatch.setattr(relay_module, "sentence_frames", sentence_frames)
    async with setting.relaying():
        setting.line.is_over.set()
    assert said == [Sentence.FAULT]
    assert setting.api.hung_up == [CALL_SID]

"""Whole calls between our adapters and the carriers' stand-ins: real HTTP, websockets, speech."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass

import numpy as np
import pytest

from carriers.account import CarrierName
from carriers.answers import Refusal
from carriers.api import CarrierApi, Dial, MachineDetection
from carriers.call_events import (
    AnsweredBy,
    CallArrived,
    MachineDetected,
    StageReached,
    StreamFailed,
)
from carriers.dialect import Started, Stopped, StopReason, StreamProblem
from carriers.registry import carrier_of
from carriers.rest import carrier_client
from carriers.settings import CarrierSettings
from carriers.signed_request import SignatureFault
from contracts.dial_outcome import DialOutcome
from contracts.dialing import LegStage
from tests.carriers.accounts import TELNYX_KEY, account_at
from tests.carriers.small_bridge import (
    CLOSED_FOREIGN,
    PUBLIC,
    REPLAYED,
    SmallBridge,
    Speech,
    marker_was_played,
)
from tests.stand_ins.carriers.account_of import carrier_for
from tests.stand_ins.carriers.carrier import BoundNumber, DialedPhone, StandInCarrier
from tests.stand_ins.carriers.line import Line
from tests.stand_ins.carriers.phone import Phone, answering_machine
from tests.stand_ins.carriers.sound import FRAME_MS, Samples, spoken, tone

OURS = "+14155550199"
CALLER = "+14155550100"
WORDS = "Good morning. I would like to book an appointment."
GREETING = "Hello, this is the dental office."


@dataclass
class Setting:
    carrier: CarrierName
    bridge: SmallBridge
    stand_in: StandInCarrier
    api: CarrierApi
    speech: Speech

    def call_in(self, phone: Phone) -> Line:
        return self.stand_in.call_in(CALLER, OURS, phone)

    async def dial(self, detection: MachineDetection = MachineDetection.OFF) -> Line:
        call_id = await self.api.dial(
            Dial(CALLER, OURS, f"{PUBLIC}/voice", f"{PUBLIC}/status", 30, "attempt-1", detection)
        )
        return self.stand_in.lines[call_id]

    async def until_over(self, line: Line) -> None:
        async with asyncio.timeout(30):
            await line.ended.wait()

    async def until_stage(self, stage: LegStage) -> StageReached:
        await self.bridge.until(lambda: stage in self.bridge.stages())
        return next(
            event
            for event in self.bridge.events
            if isinstance(event, StageReached) and event.stage is stage
        )


@pytest.fixture(params=list(CarrierName))
async def setting(request: pytest.FixtureRequest) -> AsyncIterator[Setting]:
    carrier: CarrierName = request.param
    credentials = account_at(carrier)
    speech = Speech(spoken(GREETING))
    bridge = SmallBridge(credentials, speech)
    async with bridge.serving(), carrier_client() as client:
        stand_in = carrier_for(credentials, telnyx_key=TELNYX_KEY, reach=bridge.reach)
        stand_in.numbers[OURS] = BoundNumber()
        async with stand_in.serving():
            settings = CarrierSettings(base_urls={carrier: stand_in.base_url})
            spec = carrier_of(carrier)
            prepared = await spec.api(credentials, settings, client).prepare_account(
                bridge.webhooks
            )
            bridge.api = spec.api(prepared, settings, client)
            await bridge.api.bind_number(OURS, bridge.webhooks)
            yield Setting(carrier, bridge, stand_in, bridge.api, speech)


def _likeness(heard: Samples, said: Samples) -> float:
    """Of ``said`` somewhere in ``heard``: 1 for the same waveform, near 0 for another one."""
    size = 1 << int(np.ceil(np.log2(heard.size + said.size)))
    spectrum = np.fft.rfft(heard.astype(np.float64), size)
    spectrum *= np.conj(np.fft.rfft(said.astype(np.float64), size))
    loudness = np.linalg.norm(said.astype(np.float64))
    best = np.fft.irfft(spectrum, size).max() / loudness
    return float(best / max(1.0, np.linalg.norm(heard.astype(np.float64))))


async def test_speech_is_heard_on_both_sides_of_an_inbound_call(setting: Setting) -> None:
    phone = Phone(says=WORDS)
    line = setting.call_in(phone)
    await setting.bridge.until(lambda: setting.bridge.streams)
    (heard,) = setting.bridge.streams
    await phone.until_said()
    await setting.bridge.until(lambda: marker_was_played(heard))
    phone.hang_up()
    await setting.bridge.until(lambda: heard.events and isinstance(heard.events[-1], Stopped))
    await setting.until_stage(LegStage.ENDED)
    arrival = setting.bridge.events[0]
    assert arrival == CallArrived(line.call_id, CALLER, OURS)
    assert heard.started is not None
    assert heard.started.call_id == line.call_id
    assert _likeness(heard.samples, spoken(WORDS)) > 0.9
    assert _likeness(phone.heard, spoken(GREETING)) > 0.9
    assert heard.timestamps_ms == sorted(heard.timestamps_ms)
    assert (heard.unreadable, line.unreadable) == (0, [])
    assert line.ended_as == "completed"
    assert setting.stand_in.open_lines == 0


async def test_a_flush_silences_the_phone_and_returns_no_marker(setting: Setting) -> None:
    setting.speech.samples = np.tile(tone(440, 1.0), 20)
    setting.speech.flushes_on_key = True
    phone = Phone()
    setting.call_in(phone)
    await phone.until_heard(400)
    phone.press("5")
    await phone.until_quiet(500)
    assert len(phone.loud_ms()) * FRAME_MS < 15_000
    (heard,) = setting.bridge.streams
    assert heard.digits == "5"
    assert not marker_was_played(heard)
    phone.hang_up()


async def test_keys_are_heard_in_order(setting: Setting) -> None:
    phone = Phone()
    phone.press("1234567890*#")
    setting.call_in(phone)
    await setting.bridge.until(
        lambda: setting.bridge.streams and setting.bridge.streams[0].digits == "1234567890*#"
    )
    phone.hang_up()


async def test_a_dialed_call_rings_is_answered_and_is_hung_up_by_us(setting: Setting) -> None:
    phone = Phone(says=WORDS)
    setting.stand_in.phones[CALLER] = DialedPhone(phone)
    line = await setting.dial()
    await phone.until_heard(500)
    await phone.until_said()
    await setting.api.hang_up(line.call_id)
    await setting.until_over(line)
    ended = await setting.until_stage(LegStage.ENDED)
    assert ended.call_id == line.call_id
    assert line.ended_as == "completed"
    await setting.until_stage(LegStage.ANSWERED)
    await setting.until_stage(LegStage.RINGING)
    assert _likeness(setting.bridge.streams[0].samples, spoken(WORDS)) > 0.8
    assert len(setting.bridge.streams) == 1
    assert setting.stand_in.open_lines == 0


@pytest.mark.parametrize(
    ("ends_as", "outcome"),
    [
        ("busy", DialOutcome.BUSY),
        ("no_answer", DialOutcome.NO_ANSWER),
        ("rejected", DialOutcome.REJECTED),
        ("unreachable", DialOutcome.UNREACHABLE),
        ("failed", DialOutcome.FAILED),
    ],
)
async def test_a_phone_that_is_not_reached_is_told_in_our_words(
    setting: Setting, ends_as: str, outcome: DialOutcome
) -> None:
    setting.stand_in.phones[CALLER] = DialedPhone(ends_as=ends_as)  # type: ignore[arg-type]
    await setting.dial()
    ended = await setting.until_stage(LegStage.ENDED)
    if setting.carrier is CarrierName.TWILIO and ends_as == "rejected":
        # Twilio does not tell a refusal from a busy line.
        outcome = DialOutcome.BUSY
    assert ended.outcome is outcome
    assert not setting.bridge.streams


async def test_a_call_that_we_give_up_is_canceled(setting: Setting) -> None:
    setting.stand_in.phones[CALLER] = DialedPhone(rings_on=True)
    line = await setting.dial()
    await setting.api.hang_up(line.call_id)
    ended = await setting.until_stage(LegStage.ENDED)
    assert ended.outcome is DialOutcome.CANCELED
    assert setting.stand_in.open_lines == 0


async def test_an_answering_machine_is_told_from_a_person(setting: Setting) -> None:
    machine = answering_machine("Please leave a message.")
    setting.stand_in.phones[CALLER] = DialedPhone(machine, is_machine=True)
    await setting.dial(MachineDetection.DETECT_AND_WAIT)

    def opinions() -> list[AnsweredBy]:
        return [e.answered_by for e in setting.bridge.events if isinstance(e, MachineDetected)]

    last = AnsweredBy.MACHINE if setting.carrier is CarrierName.PLIVO else AnsweredBy.MACHINE_READY
    await setting.bridge.until(lambda: last in opinions())
    machine.hang_up()


async def test_a_person_is_told_from_an_answering_machine(setting: Setting) -> None:
    phone = Phone()
    setting.stand_in.phones[CALLER] = DialedPhone(phone)
    line = await setting.dial(MachineDetection.DETECT)
    human = MachineDetected(line.call_id, AnsweredBy.HUMAN)
    await setting.bridge.until(lambda: human in setting.bridge.events)
    phone.hang_up()


@pytest.mark.parametrize("refusal", Refusal)
async def test_a_refused_call_is_never_answered(setting: Setting, refusal: Refusal) -> None:
    setting.bridge.refusal = refusal
    line = setting.call_in(Phone())
    await setting.until_over(line)
    expected = "completed" if setting.carrier is CarrierName.VONAGE else refusal.value
    assert line.ended_as == expected
    assert line.answered_at is None
    assert not setting.stand_in.sockets


async def test_a_recorded_sentence_is_played_before_the_line_is_closed(setting: Setting) -> None:
    setting.bridge.plays = f"{PUBLIC}/sorry.wav"
    line = setting.call_in(Phone())
    await setting.until_over(line)
    assert line.played == [b"RIFF a recorded sentence"]
    assert line.ended_as == "completed"


async def test_a_caller_is_connected_to_another_phone(setting: Setting) -> None:
    setting.bridge.connects_to = "+14155550177"
    phone = Phone()
    line = setting.call_in(phone)
    async with asyncio.timeout(30):
        await line.leaving.wait()
    assert line.transferred_to == "+14155550177"
    phone.hang_up()


async def test_a_running_call_is_transferred_and_its_stream_ends(setting: Setting) -> None:
    phone = Phone()
    line = setting.call_in(phone)
    await phone.until_heard(200)
    await setting.api.transfer(line.call_id, "+14155550177", OURS, f"{PUBLIC}/transfer")
    (heard,) = setting.bridge.streams
    await setting.bridge.until(lambda: isinstance(heard.events[-1], Stopped))
    assert line.transferred_to == "+14155550177"
    assert not line.is_over
    phone.hang_up()
    await setting.until_over(line)


async def test_a_socket_that_is_lost_without_a_word_ends_the_stream(setting: Setting) -> None:
    setting.stand_in.faults.closes_socket_after_ms = 200
    setting.call_in(Phone())
    await setting.bridge.until(
        lambda: setting.bridge.streams and isinstance(setting.bridge.streams[0].events[-1], Stopped)
    )
    assert setting.bridge.streams[0].events[-1] == Stopped(StopReason.CLOSED)


async def test_garbage_and_a_second_start_end_nothing(setting: Setting) -> None:
    setting.stand_in.faults.sends_garbage = True
    setting.stand_in.faults.starts_twice = True
    phone = Phone(says=WORDS)
    phone.press("7")
    setting.call_in(phone)
    await phone.until_said()
    (heard,) = setting.bridge.streams
    await setting.bridge.until(lambda: marker_was_played(heard))
    assert heard.digits == "7"
    assert [type(event) for event in heard.events].count(Started) == 1
    assert [type(event) for event in heard.events].count(StreamProblem) == 1
    assert heard.unreadable > 0
    assert _likeness(heard.samples, spoken(WORDS)) > 0.9
    phone.hang_up()


@pytest.mark.parametrize("setting", [CarrierName.TELNYX], indirect=True)
async def test_media_that_overtook_each_other_are_heard_in_order(setting: Setting) -> None:
    setting.stand_in.faults.reorders_media = True
    phone = Phone(says=WORDS)
    setting.call_in(phone)
    await phone.until_said()
    phone.hang_up()
    (heard,) = setting.bridge.streams
    await setting.bridge.until(lambda: isinstance(heard.events[-1], Stopped))
    # The end may have cut off the frame that was overtaken last.
    whole = heard.timestamps_ms[:-1]
    assert whole == list(range(0, len(whole) * FRAME_MS, FRAME_MS))
    assert _likeness(heard.samples, spoken(WORDS)) > 0.9


async def test_webhooks_with_a_wrong_signature_have_no_effect(setting: Setting) -> None:
    setting.stand_in.faults.wrong_signature = True
    line = setting.call_in(Phone())
    await setting.until_over(line)
    assert not setting.bridge.events
    assert set(setting.bridge.faults) == {SignatureFault.WRONG}
    assert {each.status for each in setting.stand_in.delivered} == {
        setting.bridge.spec.refused_status
    }


async def test_webhooks_without_a_signature_have_no_effect(setting: Setting) -> None:
    setting.stand_in.faults.no_signature = True
    line = setting.call_in(Phone())
    await setting.until_over(line)
    assert not setting.bridge.events
    assert set(setting.bridge.faults) == {SignatureFault.MISSING}


@pytest.mark.parametrize("setting", [CarrierName.TELNYX, CarrierName.VONAGE], indirect=True)
async def test_old_webhooks_have_no_effect_where_they_carry_a_time(setting: Setting) -> None:
    setting.stand_in.faults.old_timestamp = True
    line = setting.call_in(Phone())
    await setting.until_over(line)
    assert not setting.bridge.events
    assert set(setting.bridge.faults) == {SignatureFault.TOO_OLD}


async def test_overheard_webhooks_that_are_sent_again_make_no_second_call(
    setting: Setting,
) -> None:
    setting.stand_in.faults.webhooks_replayed = True
    phone = Phone()
    setting.call_in(phone)
    await phone.until_heard(200)
    phone.hang_up()
    await setting.until_stage(LegStage.ENDED)
    assert [type(event) for event in setting.bridge.events].count(CallArrived) == 1
    assert setting.bridge.stages().count(LegStage.ENDED) == 1
    assert setting.bridge.replays + setting.bridge.duplicates > 0
    assert len(setting.bridge.streams) == 1


async def test_a_webhook_that_the_carrier_repeats_makes_one_stream(setting: Setting) -> None:
    setting.stand_in.faults.webhooks_twice = True
    phone = Phone()
    line = setting.call_in(phone)
    await phone.until_heard(200)
    phone.hang_up()
    await setting.until_over(line)
    assert len(setting.bridge.arrivals) == 1
    assert len(setting.bridge.streams) == 1


async def test_statuses_that_come_late_or_never_change_nothing(setting: Setting) -> None:
    setting.stand_in.faults.late_statuses = True
    phone = Phone()
    setting.stand_in.phones[CALLER] = DialedPhone(phone)
    line = await setting.dial()
    await phone.until_heard(200)
    setting.stand_in.faults.lost_statuses = True
    await setting.api.hang_up(line.call_id)
    await setting.until_over(line)
    assert LegStage.ANSWERED in setting.bridge.stages()
    assert LegStage.ENDED not in setting.bridge.stages()


async def test_a_second_socket_with_the_same_token_is_turned_away(setting: Setting) -> None:
    setting.stand_in.faults.second_socket = True
    phone = Phone(says=WORDS)
    setting.call_in(phone)
    await phone.until(lambda: setting.stand_in.turned_away != [])
    assert setting.stand_in.turned_away[0] in (REPLAYED, CLOSED_FOREIGN)
    await phone.until_said()
    assert len(setting.bridge.streams) == 1
    assert _likeness(setting.bridge.streams[0].samples, spoken(WORDS)) > 0.9
    phone.hang_up()


async def test_a_socket_with_a_foreign_token_carries_nothing(setting: Setting) -> None:
    setting.stand_in.faults.foreign_token = True
    line = setting.call_in(Phone())
    await setting.bridge.until(lambda: setting.bridge.replays == 1)
    assert not setting.bridge.streams
    if setting.carrier in (CarrierName.TELNYX, CarrierName.PLIVO):
        await setting.bridge.until(
            lambda: StreamFailed in [type(event) for event in setting.bridge.events]
        )
    line.phone.hang_up()


@pytest.mark.parametrize(
    "setting", [CarrierName.TWILIO, CarrierName.TELNYX, CarrierName.VONAGE], indirect=True
)
async def test_a_socket_without_the_carriers_proof_is_not_accepted(setting: Setting) -> None:
    setting.stand_in.faults.unsigned_socket = True
    line = setting.call_in(Phone())
    await setting.until_over(line)
    assert setting.stand_in.sockets == [403]
    assert setting.bridge.faults == [SignatureFault.MISSING]
    assert not setting.bridge.streams

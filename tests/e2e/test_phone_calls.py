"""Phone calls through real processes, the carriers' wires, and 8 kHz speech."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Iterator

import pytest

from carriers.account import CarrierName
from contracts.money import billable_seconds
from contracts.recording import SAMPLE_HZ
from switchboard.caller.speech_models import Recogniser
from switchboard_client.models import CallDetail
from tests.e2e.phones import OUR_NUMBERS, PERSON, PhoneSystem, phone_system
from tests.e2e.test_recording import (
    LEFT,
    RIGHT,
    downloaded,
    finished_recording,
    heard_in,
    recorded_agent,
    samples_of,
)
from tests.stand_ins.carriers.carrier import DialedPhone
from tests.stand_ins.carriers.phone import Phone, answering_machine
from tests.stand_ins.carriers.sound import FRAME_MS

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(300)]

FIRST_WORD_MS = 4_000
"""Wide of the product's target of 800 ms: other tests share this machine."""
BARGE_IN_MS = 1_500
"""Wide of the product's target of 300 ms."""
TWILIO = CarrierName.TWILIO


@pytest.fixture(scope="module")
def phones() -> Iterator[PhoneSystem]:
    """Its agent records every call."""
    with phone_system() as system:
        system.agent_id = asyncio.run(_recording(system))
        yield system


async def _recording(phones: PhoneSystem) -> str:
    async with phones.switchboard.api() as api:
        return await recorded_agent(api, phones.agent_id, require_consent=False)


@pytest.mark.parametrize("name", CarrierName)
async def test_a_caller_talks_with_the_agent_and_hangs_up(
    phones: PhoneSystem, name: CarrierName
) -> None:
    async with phones.carrier(name) as carrier:
        phone = Phone()
        line = carrier.call_in(PERSON, OUR_NUMBERS[name], phone)
        await phone.until_heard(1_000)
        first_word_ms = phone.loud_ms()[0]
        await phone.until_quiet()
        asked_at = phone.heard_ms
        phone.say("Hi, I would like to book an appointment.")
        await phone.until_said()
        await phone.until_heard(600, since_ms=asked_at + 500)
        await phone.until_quiet()
        phone.hang_up()
        await asyncio.wait_for(line.ended.wait(), 30)
        call = await phones.ended()
        assert carrier.open_lines == 0
        print(f"{name.value}: first word {first_word_ms} ms, held {line.longest_queue_ms:.0f} ms")
        assert first_word_ms < FIRST_WORD_MS
    assert (call.status, call.end_reason) == ("completed", "participant_disconnected")
    assert call.participants[0].transport == "pstn"
    assert "appointment" in await phones.said_by(call, "user")
    assert "been to our clinic" in await phones.said_by(call, "agent")
    assert call.billable_seconds == billable_seconds(round(call.bill_duration * 1000))
    assert call.total_cost > 0
    await assert_recorded(phones, call, user="appointment", agent="clinic")


async def assert_recorded(phones: PhoneSystem, call: CallDetail, *, user: str, agent: str) -> None:
    """The recording lasts as long as the call, and each side is understood on its own channel."""
    async with phones.switchboard.api() as api:
        recording = await finished_recording(api, str(call.id))
    audio = samples_of(await downloaded(recording))
    assert len(audio) / SAMPLE_HZ == pytest.approx(call.bill_duration, abs=0.7)
    recogniser = Recogniser()
    left, right = (heard_in(recogniser, audio[:, channel]) for channel in (LEFT, RIGHT))
    assert user in left
    assert agent in right
    assert user not in right


@pytest.mark.parametrize("name", CarrierName)
async def test_a_person_whom_we_dial_is_greeted_and_the_call_is_hung_up(
    phones: PhoneSystem, name: CarrierName
) -> None:
    async with phones.carrier(name) as carrier:
        phone = Phone()
        carrier.phones[PERSON] = DialedPhone(phone, ring_seconds=1.0)
        call_id = await phones.call_out(name)
        await phone.until_heard(1_000)
        print(f"{name.value}: first word {phone.loud_ms()[0]} ms after the stream began")
        assert phone.loud_ms()[0] < FIRST_WORD_MS
        async with phones.switchboard.api() as api:
            await api.calls.end(call_id)
        (line,) = carrier.lines.values()
        await asyncio.wait_for(line.ended.wait(), 30)
        call = await phones.ended(call_id)
        assert carrier.open_lines == 0
    assert (call.status, call.end_reason) == ("completed", "normal_hangup")
    assert call.total_cost > 0


@pytest.mark.parametrize("name", CarrierName)
async def test_a_phone_that_is_busy_ends_the_call_with_the_carriers_word(
    phones: PhoneSystem, name: CarrierName
) -> None:
    async with phones.carrier(name) as carrier:
        carrier.phones[PERSON] = DialedPhone(ends_as="busy")
        call = await phones.ended(await phones.call_out(name))
        assert carrier.open_lines == 0
    assert (call.status, call.end_reason) == ("busy", f"{name.value}_busy")
    assert call.total_cost == 0


async def test_the_agent_falls_silent_when_the_caller_speaks(phones: PhoneSystem) -> None:
    async with phones.carrier(TWILIO) as carrier:
        phone = Phone()
        carrier.call_in(PERSON, OUR_NUMBERS[TWILIO], phone)
        await phone.until_heard(600)
        began_at = phone.heard_ms
        phone.say("Sorry, sorry, I have another question, please stop for a moment.")
        await phone.until(lambda: _silence_after(phone, began_at) is not None)
        stopped_at = _silence_after(phone, began_at)
        assert stopped_at is not None
        print(f"barge-in: silent {stopped_at - began_at} ms after the caller began")
        assert stopped_at - began_at < BARGE_IN_MS
        phone.hang_up()
        await phones.ended()


async def test_keys_are_a_turn_of_the_caller(phones: PhoneSystem) -> None:
    async with phones.carrier(TWILIO) as carrier:
        phone = Phone()
        carrier.call_in(PERSON, OUR_NUMBERS[TWILIO], phone)
        await phone.until_heard(1_000)
        await phone.until_quiet()
        pressed_at = phone.heard_ms
        phone.press("42#")
        await phone.until_heard(400, since_ms=pressed_at)
        await phone.until_quiet()
        phone.hang_up()
        call = await phones.ended()
    assert "[keypad] 42" in await phones.said_by(call, "user")
    async with phones.switchboard.api() as api:
        [leg] = (await api.calls.legs(call.id)).legs
    assert (leg.direction, leg.from_number, leg.to_number) == (
        "inbound",
        PERSON,
        OUR_NUMBERS[TWILIO],
    )
    assert [(keys.direction, keys.digits) for keys in leg.keys] == [("received", "42")]


async def test_a_machine_gets_the_agents_message_after_its_beep(phones: PhoneSystem) -> None:
    voicemail = {"action": "leave_message", "message": "This is Mia. Please call the clinic back."}
    agent_id = await phones.agent_with(voicemail=voicemail)
    async with phones.carrier(TWILIO) as carrier:
        phone = answering_machine()
        carrier.phones[PERSON] = DialedPhone(phone)
        call = await phones.ended(await phones.call_out(TWILIO, agent_id=agent_id))
        assert carrier.open_lines == 0
    assert (call.status, call.end_reason) == ("completed", "voicemail_left")
    assert "call the clinic back" in await phones.said_by(call, "agent")


@pytest.mark.parametrize("name", CarrierName)
async def test_a_machine_that_only_the_carrier_recognises_gets_the_agents_message(
    phones: PhoneSystem, name: CarrierName
) -> None:
    voicemail = {"action": "leave_message", "message": "This is Mia. Please call the clinic back."}
    agent_id = await phones.agent_with(voicemail=voicemail)
    async with phones.carrier(name) as carrier:
        # Its words are a person's, and its beep is too high for our own detector.
        phone = answering_machine("Emma Brown.", beep_hz=2_000)
        carrier.phones[PERSON] = DialedPhone(phone, is_machine=True)
        call = await phones.ended(await phones.call_out(name, agent_id=agent_id))
        assert carrier.open_lines == 0
    assert (call.status, call.end_reason) == ("completed", "voicemail_left")
    assert "call the clinic back" in await phones.said_by(call, "agent")


async def test_a_caller_whose_worker_is_killed_hears_a_sentence_and_the_line_is_closed(
    phones: PhoneSystem,
) -> None:
    async with phones.carrier(TWILIO) as carrier:
        phone = Phone()
        line = carrier.call_in(PERSON, OUR_NUMBERS[TWILIO], phone)
        await phone.until_heard(500)
        os.kill(phones.switchboard.pid("worker-1"), signal.SIGKILL)
        killed_at = phone.heard_ms
        await asyncio.wait_for(line.ended.wait(), 60)
        assert len(phone.loud_ms(killed_at + 400)) * FRAME_MS > 1_500, "the sentence is heard"
        call = await phones.ended()
        assert carrier.open_lines == 0
    assert (call.status, call.end_reason) == ("failed", "worker_error")


async def test_a_call_whose_bridge_is_killed_fails_in_the_carriers_name(
    phones: PhoneSystem,
) -> None:
    async with phones.carrier(TWILIO) as carrier:
        phone = Phone()
        line = carrier.call_in(PERSON, OUR_NUMBERS[TWILIO], phone)
        await phone.until_heard(500)
        os.kill(phones.switchboard.pid("bridge"), signal.SIGKILL)
        await asyncio.wait_for(line.ended.wait(), 30)
        call = await phones.ended()
        assert carrier.open_lines == 0
    assert (call.status, call.end_reason) == ("failed", "twilio_failed")
    assert call.total_cost > 0


def _silence_after(phone: Phone, since_ms: int, quiet_ms: int = 200) -> int | None:
    """When the agent fell silent for so long, after it could be heard at ``since_ms``."""
    loud = set(phone.loud_ms(since_ms))
    run = 0
    for at in range(since_ms, phone.heard_ms, 20):
        run = 0 if at in loud else run + 20
        if run >= quiet_ms:
            return at + 20 - run
    return None

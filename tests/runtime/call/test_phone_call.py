"""Calls to phones in virtual time: keys, and machines that answer."""

from __future__ import annotations

import asyncio
from uuid import uuid4

import numpy as np

from contracts.agent_config import AgentConfig
from contracts.call_plan import CallPlan
from contracts.end_reasons import EndReason
from contracts.events import KeysPressed, LegLeft, Logged
from contracts.live_messages import LiveTranscript
from contracts.phone_media import LegAddress, LegFormat, LegOpened
from runtime.call.end_cause import Cause, Ending
from runtime.call.voicemail.machine_answer import NO_END
from runtime.media.leg import DtmfNotPossible, LineInterrupted
from runtime.media.phones.phone_leg import PhoneLeg
from runtime.media.room import HeardFrames
from tests.runtime.call.stage import Stage, play
from tests.runtime.fakes import CALLER, phone_plan
from tests.runtime.recording.stores import MemoryPartStore

MULAW = LegFormat(encoding="mulaw", sample_hz=8_000)
SILENCE = np.zeros(960, np.int16)
BEEP = (4_000 * np.sin(2 * np.pi * 1_000 * np.arange(960) / 48_000)).astype(np.int16)


async def nobody_answers() -> bool:
    return False


def dialed_phone() -> PhoneLeg:
    opened = LegOpened(
        from_person=MULAW,
        to_person=MULAW,
        direction="outbound",
        carrier="twilio",
        from_number="+14155550100",
        to_number="+14155550142",
    )
    return PhoneLeg(LegAddress(uuid4(), CALLER, uuid4()), opened, nobody_answers)


def plan_with(voicemail: dict[str, str] | None) -> CallPlan:
    agent = AgentConfig.model_validate({"name": "Ada", "advanced": {"voicemail": voicemail}})
    return phone_plan().model_copy(update={"agent": agent, "variables": {"name": "Emma"}})


def heard(stage: Stage, frame: np.ndarray, frames: int) -> None:  # type: ignore[type-arg]
    assert stage.room.tapped_by is not None
    for index in range(frames):
        stage.room.tapped_by(HeardFrames(index, [frame], np.zeros(480, np.int16)))


def words(stage: Stage, text: str) -> None:
    stage.call.live(LiveTranscript(utterance=1, speaker="user", text=text, is_final=False, at_ms=0))


def test_keys_are_entered_when_a_hash_or_a_pause_ends_them():
    async def script(stage: Stage) -> None:
        await asyncio.sleep(1)
        await stage.call.add_phone(dialed_phone())
        await asyncio.sleep(1)
        stage.room.press("12#")
        stage.room.press("3")
        await asyncio.sleep(2)
        stage.room.press("4")
        await asyncio.sleep(4)
        stage.call.end(Ending.because(Cause.AGENT_HUNG_UP))

    assert play(script, plan=phone_plan()).conversation.entered == ["12", "34"]


def test_an_agent_is_told_of_keys_that_did_not_reach_the_phone():
    told: list[str | None] = []

    async def script(stage: Stage) -> None:
        await asyncio.sleep(1)
        await stage.call.add_phone(dialed_phone())
        await asyncio.sleep(1)
        told.append(stage.call.send_digits("1"))
        stage.room.takes_no_digits = LineInterrupted()
        told.append(stage.call.send_digits("2"))
        stage.room.takes_no_digits = DtmfNotPossible()
        told.append(stage.call.send_digits("3"))
        stage.call.end(Ending.because(Cause.AGENT_HUNG_UP))

    bodies = play(script, plan=phone_plan()).journal.bodies
    keys = [each.keys for each in bodies if isinstance(each, Logged) and each.keys is not None]
    assert [each.digits for each in keys] == ["1"]
    pressed, interrupted, no_phone = told
    assert pressed is None
    assert "in a moment" in str(interrupted)
    assert "Nobody" in str(no_phone)


def test_a_caller_who_enters_a_long_number_is_not_asked_whether_anybody_is_there():
    async def script(stage: Stage) -> None:
        await asyncio.sleep(1)
        await stage.call.add_phone(dialed_phone())
        for _ in range(16):
            await asyncio.sleep(2)
            stage.room.press("7")
        await asyncio.sleep(1)
        stage.call.end(Ending.because(Cause.AGENT_HUNG_UP))

    stage = play(script, plan=phone_plan())
    assert stage.conversation.said == ["greeting"]
    assert stage.ended.end_reason == EndReason.END_CALL_TOOL


def test_keys_of_somebody_who_is_not_in_the_call_are_ignored():
    async def script(stage: Stage) -> None:
        await asyncio.sleep(1)
        stage.room.press("1#", uuid4())
        await asyncio.sleep(1)
        stage.call.end(Ending.because(Cause.AGENT_HUNG_UP))

    assert play(script, plan=phone_plan()).conversation.entered == []


def test_a_phone_whose_bridge_is_dead_fails_the_call_in_its_carriers_name():
    async def script(stage: Stage) -> None:
        await asyncio.sleep(1)
        await stage.call.add_phone(dialed_phone())
        await asyncio.sleep(5)
        stage.room.interrupt(2.0)
        await asyncio.sleep(10)
        stage.room.give_up()

    stage = play(script, plan=phone_plan())
    assert stage.ended.lost_carrier == "twilio"
    assert stage.ended.connected_ms == 3_000, "the time in which nothing came is not billed"
    lost = LegLeft(participant_id=CALLER, cause="connection_lost", lost_carrier="twilio")
    assert lost in stage.journal.bodies


def test_people_in_browsers_go_on_when_a_phones_bridge_is_dead():
    browser = uuid4()

    async def script(stage: Stage) -> None:
        await asyncio.sleep(1)
        await stage.call.add_phone(dialed_phone())
        stage.room.connect(browser)
        await asyncio.sleep(1)
        stage.room.give_up()
        await asyncio.sleep(6)
        assert not stage.journal.has_ended
        await stage.call.remove_leg(browser)

    ended = play(script, plan=phone_plan()).ended
    assert (ended.end_reason, ended.lost_carrier) == (EndReason.PARTICIPANT_DISCONNECTED, None)


def test_the_control_plane_may_notice_first_that_a_bridge_is_dead():
    async def script(stage: Stage) -> None:
        await asyncio.sleep(1)
        await stage.call.add_phone(dialed_phone())
        await asyncio.sleep(1)
        await stage.call.remove_leg(CALLER, "twilio")

    assert play(script, plan=phone_plan()).ended.lost_carrier == "twilio"


def test_a_phone_that_hangs_up_after_its_bridge_came_back_has_left():
    async def script(stage: Stage) -> None:
        await asyncio.sleep(1)
        await stage.call.add_phone(dialed_phone())
        stage.room.interrupt(3.0)
        await asyncio.sleep(1)
        await stage.call.add_phone(dialed_phone())
        await asyncio.sleep(1)
        await stage.call.remove_leg(CALLER)

    ended = play(script, plan=phone_plan()).ended
    assert (ended.end_reason, ended.lost_carrier) == (EndReason.PARTICIPANT_DISCONNECTED, None)


def test_a_machine_is_hung_up_on():
    async def script(stage: Stage) -> None:
        await asyncio.sleep(1)
        await stage.call.add_phone(dialed_phone())
        await asyncio.sleep(1)
        words(stage, "please leave a message after the tone")

    stage = play(script, plan=plan_with({"action": "hang_up"}))
    assert stage.ended.end_reason is EndReason.VOICEMAIL_DETECTED


def test_a_machine_gets_the_agents_message_after_its_beep():
    async def script(stage: Stage) -> None:
        await asyncio.sleep(1)
        await stage.call.add_phone(dialed_phone())
        await asyncio.sleep(1)
        words(stage, "please leave a message after the tone")
        await asyncio.sleep(0.5)
        assert stage.conversation.cut_off
        assert not stage.conversation.listens
        assert stage.conversation.said == ["greeting"]
        heard(stage, BEEP, 20)
        heard(stage, SILENCE, 5)

    voicemail = {"action": "leave_message", "message": "Hello {{name}}, please call us back."}
    stage = play(script, plan=plan_with(voicemail))
    assert stage.conversation.said[-1] == "Hello Emma, please call us back."
    assert stage.ended.end_reason is EndReason.VOICEMAIL_LEFT


LEAVES_MESSAGE = {"action": "leave_message", "message": "Please call us back."}
GREETING = np.random.default_rng(1).integers(-4_000, 4_000, 960).astype(np.int16)


async def greets_and_beeps(stage: Stage, seconds: int) -> None:
    for _ in range(seconds * 50):
        heard(stage, GREETING, 1)
        await asyncio.sleep(0.02)
    heard(stage, BEEP, 20)
    heard(stage, SILENCE, 5)


def test_a_machine_with_a_long_greeting_is_not_asked_whether_it_is_there():
    async def script(stage: Stage) -> None:
        await asyncio.sleep(1)
        await stage.call.add_phone(dialed_phone())
        await asyncio.sleep(3)
        words(stage, "please leave a message after the tone")
        await greets_and_beeps(stage, 30)

    stage = play(script, plan=plan_with(LEAVES_MESSAGE))
    assert stage.conversation.said == ["greeting", "Please call us back."]
    assert stage.ended.end_reason is EndReason.VOICEMAIL_LEFT


def test_a_machine_that_was_known_before_its_sound_came_is_not_asked_either():
    async def script(stage: Stage) -> None:
        await asyncio.sleep(1)
        stage.call.carrier_reports_machine(CALLER, records=False)
        await stage.call.add_phone(dialed_phone())
        await greets_and_beeps(stage, 30)

    stage = play(script, plan=plan_with(LEAVES_MESSAGE))
    assert stage.conversation.said == ["Please call us back."]
    assert stage.ended.end_reason is EndReason.VOICEMAIL_LEFT


def test_a_machine_that_greets_without_end_is_hung_up_on():
    async def script(stage: Stage) -> None:
        await asyncio.sleep(1)
        await stage.call.add_phone(dialed_phone())
        await asyncio.sleep(3)
        words(stage, "please leave a message after the tone")
        while True:
            heard(stage, GREETING, 1)
            await asyncio.sleep(0.02)

    stage = play(script, plan=plan_with(LEAVES_MESSAGE))
    assert stage.conversation.said == ["greeting"]
    assert stage.ended.end_reason is EndReason.VOICEMAIL_DETECTED
    assert stage.ended.detail == NO_END


def test_a_machine_that_is_noticed_during_the_announcement_hears_no_opener():
    async def script(stage: Stage) -> None:
        await asyncio.sleep(1)
        await stage.call.add_phone(dialed_phone())
        await asyncio.sleep(0.5)
        words(stage, "please leave a message after the tone")
        await asyncio.sleep(3)
        stage.call.carrier_reports_machine(CALLER, records=True)

    stage = play(script, plan=plan_with(LEAVES_MESSAGE), parts=MemoryPartStore())
    assert stage.conversation.said == ["announcement", "Please call us back."]


def test_a_machine_that_only_the_carrier_has_detected_is_hung_up_on():
    async def script(stage: Stage) -> None:
        await asyncio.sleep(1)
        await stage.call.add_phone(dialed_phone())
        await asyncio.sleep(1)
        stage.call.carrier_reports_machine(CALLER, records=False)

    stage = play(script, plan=plan_with({"action": "hang_up"}))
    assert stage.ended.end_reason is EndReason.VOICEMAIL_DETECTED


def test_a_carriers_report_may_come_before_the_phones_sound():
    async def script(stage: Stage) -> None:
        await asyncio.sleep(1)
        stage.call.carrier_reports_machine(CALLER, records=True)
        await stage.call.add_phone(dialed_phone())
        await asyncio.sleep(1)

    voicemail = {"action": "leave_message", "message": "Please call us back."}
    stage = play(script, plan=plan_with(voicemail))
    assert stage.conversation.said[-1] == "Please call us back."
    assert stage.ended.end_reason is EndReason.VOICEMAIL_LEFT


def test_keys_are_in_the_event_log_unless_an_agent_asks_for_secrets():
    async def script(stage: Stage) -> None:
        await asyncio.sleep(1)
        await stage.call.add_phone(dialed_phone())
        await asyncio.sleep(1)
        stage.room.press("42#")
        await asyncio.sleep(1)
        stage.call.end(Ending.because(Cause.AGENT_HUNG_UP))

    def logged(plan: CallPlan) -> list[KeysPressed]:
        bodies = play(script, plan=plan).journal.bodies
        return [each.keys for each in bodies if isinstance(each, Logged) and each.keys is not None]

    [shown] = logged(phone_plan())
    assert (shown.participant_id, shown.direction, shown.digits) == (CALLER, "received", "42")
    slot = {"name": "pin", "description": "A PIN", "sensitive": True}
    secret = AgentConfig.model_validate({"name": "Ada", "playbook": {"requiredSlots": [slot]}})
    [hidden] = logged(phone_plan().model_copy(update={"agent": secret}))
    assert hidden.digits is None


def test_without_the_setting_a_machine_is_talked_to():
    async def script(stage: Stage) -> None:
        await asyncio.sleep(1)
        await stage.call.add_phone(dialed_phone())
        await asyncio.sleep(1)
        words(stage, "please leave a message after the tone")
        await asyncio.sleep(1)
        stage.call.end(Ending.because(Cause.AGENT_HUNG_UP))

    assert play(script, plan=phone_plan()).ended.end_reason is EndReason.END_CALL_TOOL


def test_a_phone_that_nobody_answers_leaves_nothing():
    async def script(stage: Stage) -> None:
        await asyncio.sleep(5)
        assert stage.conversation.prepared == [None], "the first word is ready"
        stage.call.release()

    stage = play(script, plan=phone_plan())
    assert stage.journal.bodies == []
    assert stage.call.was_released


def test_a_phone_that_rings_for_too_long_leaves_nothing():
    async def script(stage: Stage) -> None:
        await asyncio.sleep(600)

    stage = play(script, plan=phone_plan())
    assert stage.journal.bodies == []
    assert stage.ended_at < 70


def test_a_call_in_progress_is_not_released():
    async def script(stage: Stage) -> None:
        await asyncio.sleep(1)
        await stage.call.add_phone(dialed_phone())
        await asyncio.sleep(1)
        stage.call.release()
        await asyncio.sleep(1)
        stage.call.end(Ending.because(Cause.AGENT_HUNG_UP))

    stage = play(script, plan=phone_plan())
    assert stage.journal.types()[:3] == ["room.opened", "call.started", "leg.joined"]
    assert not stage.call.was_released

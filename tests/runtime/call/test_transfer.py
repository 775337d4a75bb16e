"""Transfers in virtual time: who hears whom, what is said to whom, and how they end."""

from __future__ import annotations

import asyncio
from typing import Any
from uuid import UUID

import numpy as np
import pytest

from contracts.end_reasons import EndReason
from contracts.events import CallMetered, LegLeft, Logged, PhoneWanted, RecordingStopped
from contracts.live_messages import LiveTranscript
from contracts.tool_bindings import Transfer
from runtime.call.end_cause import Cause, Ending
from runtime.media.room import HeardFrames
from tests.runtime.call.stage import Stage, play
from tests.runtime.call.test_phone_call import dialed_phone
from tests.runtime.fakes import CALLER, phone_plan
from tests.runtime.recording.stores import MemoryPartStore

PERSON = "+14155550199"
TIME = np.arange(960) / 48_000
SILENCE = np.zeros(960, np.int16)
VOICE = (6_000 * np.sin(2 * np.pi * 200 * TIME)).astype(np.int16)
BEEP = (6_000 * np.sin(2 * np.pi * 1_000 * TIME)).astype(np.int16)


def tool(**settings: Any) -> Transfer:
    given = {"type": "transfer", "name": "to_a_person", "description": "Reach a person."}
    return Transfer.model_validate(given | {"to": PERSON} | settings)


def phones_wanted(stage: Stage) -> list[PhoneWanted]:
    metered = [each for each in stage.journal.bodies if isinstance(each, CallMetered)]
    return [each.phone for each in metered if each.phone is not None]


def target(stage: Stage) -> UUID:
    wanted = phones_wanted(stage)[0]
    assert wanted.to_number == PERSON
    return wanted.participant_id


async def hear(stage: Stage, frame: Any, seconds: float) -> None:
    for index in range(round(seconds * 50)):
        assert stage.room.tapped_by is not None
        stage.room.tapped_by(HeardFrames(index, [frame], np.zeros(480, np.int16)))
        await asyncio.sleep(0.02)


async def begun(stage: Stage, settings: Transfer, summary: str = "") -> None:
    await asyncio.sleep(1)
    stage.room.connect()
    await asyncio.sleep(3)
    assert stage.call.transfer(settings, summary) is None
    await asyncio.sleep(3)
    assert stage.room.held == {CALLER}, "the caller hears music"
    assert not stage.conversation.listens


def test_a_cold_transfer_connects_both_and_ends_when_the_person_hangs_up():
    async def script(stage: Stage) -> None:
        await begun(stage, tool(message="One moment."))
        stage.room.connect(target(stage))
        await asyncio.sleep(1)
        assert stage.room.held == set()
        assert not stage.conversation.listens, "the agent has left"
        await asyncio.sleep(120)
        await stage.room.remove_leg(target(stage))

    ended = play(script, plan=phone_plan())
    assert ended.conversation.said == ["greeting", "One moment."]
    assert ended.call.end_reason == EndReason.PARTICIPANT_DISCONNECTED


def test_in_a_warm_transfer_only_the_person_hears_the_summary():
    async def script(stage: Stage) -> None:
        await begun(stage, tool(mode="warm"), "Ada asks for her bill.")
        stage.room.connect(target(stage))
        await asyncio.sleep(0.1)
        await hear(stage, VOICE, 0.6)
        assert stage.conversation.said == ["greeting"], "the agent waits for the greeting's end"
        await hear(stage, SILENCE, 1.0)
        await asyncio.sleep(0.5)
        assert stage.room.held == {CALLER}
        await asyncio.sleep(1.5)
        assert stage.room.held == set()
        await stage.room.remove_leg(CALLER)

    ended = play(script, plan=phone_plan())
    assert "Ada asks for her bill." in ended.conversation.said[1]
    assert ended.call.end_reason == EndReason.PARTICIPANT_DISCONNECTED


def test_an_agent_does_not_hang_up_on_people_whom_it_connects():
    async def script(stage: Stage) -> None:
        await begun(stage, tool())
        stage.call.end_call()
        await asyncio.sleep(1)
        stage.room.connect(target(stage))
        await asyncio.sleep(1)
        stage.call.end_call()
        await asyncio.sleep(60)
        await stage.room.remove_leg(CALLER)

    ended = play(script, plan=phone_plan())
    assert ended.call.end_reason == EndReason.PARTICIPANT_DISCONNECTED
    assert ended.conversation.said == ["greeting"]


@pytest.mark.parametrize("then", ["leave", "stay"])
def test_people_talk_on_although_the_agent_that_has_left_them_fails(then: str):
    async def script(stage: Stage) -> None:
        await begun(stage, tool(then=then))
        stage.room.connect(target(stage))
        await asyncio.sleep(1)
        stage.call.channel_reports.exhausted("stt", "no recogniser answered")
        await asyncio.sleep(60)
        await stage.room.remove_leg(CALLER)

    reason = play(script, plan=phone_plan()).ended.end_reason
    assert reason == (
        EndReason.PARTICIPANT_DISCONNECTED if then == "leave" else EndReason.NO_PROVIDER_CONNECTED
    )


def test_an_agent_that_stays_goes_on_when_the_person_has_left():
    async def script(stage: Stage) -> None:
        await begun(stage, tool(then="stay"))
        stage.room.connect(target(stage))
        await asyncio.sleep(1)
        assert stage.conversation.listens
        await stage.room.remove_leg(target(stage))
        await asyncio.sleep(1)
        assert stage.call.end_reason is None
        assert stage.call.transfer(tool(), "") is None, "another one is possible"
        await stage.room.remove_leg(CALLER)

    play(script, plan=phone_plan())


def test_a_busy_person_brings_the_call_back_to_the_caller():
    async def script(stage: Stage) -> None:
        await begun(stage, tool(unreached_message="Nobody is free."))
        stage.call.transfers.not_reached(target(stage), "busy")
        await asyncio.sleep(2)
        assert stage.room.held == set()
        assert stage.conversation.listens
        await stage.room.remove_leg(CALLER)

    assert play(script, plan=phone_plan()).conversation.said == ["greeting", "Nobody is free."]


@pytest.mark.parametrize(
    ("lost_carrier", "why"), [(None, "hung up"), ("twilio", "the line was lost")]
)
def test_a_person_who_is_gone_before_the_sound_has_come_brings_the_call_back(
    lost_carrier: str | None, why: str
):
    async def script(stage: Stage) -> None:
        await begun(stage, tool(unreached_message="Nobody is free."))
        await stage.call.remove_leg(target(stage), lost_carrier)
        await asyncio.sleep(2)
        assert stage.room.held == set()
        assert stage.conversation.listens
        await stage.room.remove_leg(CALLER)

    ended = play(script, plan=phone_plan())
    assert ended.conversation.said == ["greeting", "Nobody is free."]
    told = [each.message for each in ended.journal.bodies if isinstance(each, Logged)]
    assert f"{PERSON} was not reached: {why}" in told


def test_a_person_of_whom_nothing_is_heard_brings_the_call_back():
    async def script(stage: Stage) -> None:
        await begun(stage, tool())
        await asyncio.sleep(80)
        late = target(stage)
        assert "could not reach anybody" in stage.conversation.said[-1]
        stage.room.connect(late)
        await asyncio.sleep(1)
        assert late not in stage.call.people, "a phone that comes too late is hung up"
        await stage.room.remove_leg(CALLER)

    play(script, plan=phone_plan())


def test_a_phone_that_rings_longer_than_the_caller_waits_is_not_called_any_more():
    async def script(stage: Stage) -> None:
        await begun(stage, tool())
        await asyncio.sleep(80)
        assert LegLeft(participant_id=target(stage), cause="left") in stage.journal.bodies
        await stage.room.remove_leg(CALLER)

    play(script, plan=phone_plan())


def test_a_machine_brings_the_call_back():
    async def script(stage: Stage) -> None:
        await begun(stage, tool(mode="warm"))
        stage.room.connect(target(stage))
        await asyncio.sleep(0.1)
        await hear(stage, VOICE, 2.0)
        await hear(stage, BEEP, 0.5)
        await asyncio.sleep(2)
        assert stage.room.held == set()
        assert target(stage) not in stage.call.people
        assert "could not reach anybody" in stage.conversation.said[-1]
        await stage.room.remove_leg(CALLER)

    play(script, plan=phone_plan())


def test_a_machine_that_only_the_carrier_notices_brings_the_call_back():
    for mode in ("warm", "cold"):
        for is_connected in (False, True):

            async def script(
                stage: Stage, mode: str = mode, is_connected: bool = is_connected
            ) -> None:
                await begun(stage, tool(mode=mode, unreached_message="Nobody is free."))
                if is_connected:
                    stage.room.connect(target(stage))
                    await asyncio.sleep(20)
                    assert stage.room.held == set()
                stage.call.carrier_reports_machine(target(stage), records=False)
                stage.call.carrier_reports_machine(target(stage), records=True)
                if not is_connected:
                    stage.room.connect(target(stage))
                await asyncio.sleep(2)
                assert target(stage) not in stage.call.people
                assert stage.room.held == set()
                assert stage.conversation.listens
                assert stage.conversation.said.count("Nobody is free.") == 1
                await stage.room.remove_leg(CALLER)

            ended = play(script, plan=phone_plan())
            assert ended.call.end_reason == EndReason.PARTICIPANT_DISCONNECTED


def test_a_person_who_hangs_up_during_the_summary_brings_the_call_back():
    async def script(stage: Stage) -> None:
        await begun(stage, tool(mode="warm"))
        stage.room.connect(target(stage))
        await asyncio.sleep(0.1)
        await hear(stage, VOICE, 0.5)
        await stage.room.remove_leg(target(stage))
        await asyncio.sleep(2)
        assert "could not reach anybody" in stage.conversation.said[-1]
        assert stage.conversation.listens
        await stage.room.remove_leg(CALLER)

    play(script, plan=phone_plan())


def test_a_caller_who_hangs_up_during_the_summary_ends_the_call():
    async def script(stage: Stage) -> None:
        await begun(stage, tool(mode="warm"))
        stage.room.connect(target(stage))
        await asyncio.sleep(0.5)
        await stage.room.remove_leg(CALLER)

    ended = play(script, plan=phone_plan())
    assert ended.call.end_reason == EndReason.PARTICIPANT_DISCONNECTED


def test_a_caller_on_hold_is_not_asked_whether_anybody_is_there():
    async def script(stage: Stage) -> None:
        await begun(stage, tool())
        await asyncio.sleep(60)
        await stage.room.remove_leg(CALLER)

    assert play(script, plan=phone_plan()).conversation.said == ["greeting"]


def test_keys_that_were_pressed_just_before_a_transfer_are_not_answered_during_it():
    async def script(stage: Stage) -> None:
        await asyncio.sleep(1)
        await stage.call.add_phone(dialed_phone())
        await asyncio.sleep(3)
        stage.room.press("12")
        await asyncio.sleep(0.5)
        assert stage.call.transfer(tool(), "") is None
        await asyncio.sleep(10)
        assert stage.conversation.entered == []
        await stage.room.remove_leg(CALLER)

    play(script, plan=phone_plan())


def test_a_call_is_transferred_once_at_a_time():
    async def script(stage: Stage) -> None:
        await begun(stage, tool())
        assert "transferred already" in (stage.call.transfer(tool(), "") or "")
        await stage.room.remove_leg(CALLER)

    play(script, plan=phone_plan())


@pytest.mark.parametrize("message", ["", "One moment."])
def test_a_call_that_ends_before_a_transfer_is_announced_calls_nobody(message: str):
    async def script(stage: Stage) -> None:
        stage.room.connect()
        await asyncio.sleep(0.5)
        assert stage.call.transfer(tool(message=message), "") is None
        await asyncio.sleep(0.1)
        stage.call.end(Ending.because(Cause.AGENT_HUNG_UP))
        await asyncio.sleep(0.5)
        assert stage.conversation.said == ["greeting"]
        assert stage.conversation.current_speech is not None
        assert stage.conversation.current_speech.is_set(), "nothing else is being said"
        assert CALLER not in stage.room.held

    assert phones_wanted(play(script, plan=phone_plan())) == []


def test_a_call_that_ends_while_a_transfer_is_announced_calls_nobody():
    async def script(stage: Stage) -> None:
        await asyncio.sleep(1)
        stage.room.connect()
        await asyncio.sleep(3)
        assert stage.call.transfer(tool(message="One moment."), "") is None
        await asyncio.sleep(0.5)
        stage.call.end(Ending.because(Cause.WORKER_STOPPING))
        await asyncio.sleep(0.7)
        assert stage.conversation.said == ["greeting", "One moment."]
        assert CALLER not in stage.room.held

    ended = play(script, plan=phone_plan())
    assert ended.conversation.said[-1] == f"farewell: {EndReason.SERVER_SHUTDOWN.value}"
    assert phones_wanted(ended) == []


def test_callers_on_hold_hear_the_last_words_of_a_call_that_ends():
    async def script(stage: Stage) -> None:
        await begun(stage, tool())
        stage.call.end(Ending.because(Cause.WORKER_STOPPING))
        await asyncio.sleep(0.5)
        assert stage.room.held == set()

    ended = play(script, plan=phone_plan())
    assert ended.conversation.said == ["greeting", f"farewell: {EndReason.SERVER_SHUTDOWN.value}"]
    assert ended.call.end_reason == EndReason.SERVER_SHUTDOWN


def test_a_person_who_was_called_does_not_hear_the_callers_last_words():
    async def script(stage: Stage) -> None:
        await begun(stage, tool(mode="warm"), "Ada asks for her bill.")
        stage.room.connect(target(stage))
        await asyncio.sleep(0.1)
        stage.call.end(Ending.because(Cause.FUNDS_LAPSED))
        await asyncio.sleep(0.5)
        assert stage.room.held == {target(stage)}

    ended = play(script, plan=phone_plan())
    assert ended.conversation.said == [
        "greeting",
        f"farewell: {EndReason.INSUFFICIENT_FUNDS.value}",
    ]


def test_a_person_who_picks_up_during_the_last_words_does_not_hear_them():
    async def script(stage: Stage) -> None:
        await begun(stage, tool())
        stage.call.end(Ending.because(Cause.WORKER_STOPPING))
        await asyncio.sleep(0.5)
        stage.room.connect(target(stage))
        await asyncio.sleep(0.1)
        assert stage.room.held == {target(stage)}

    play(script, plan=phone_plan())


def test_a_person_who_picks_up_as_the_call_ends_is_not_connected_any_more():
    async def script(stage: Stage) -> None:
        await begun(stage, tool())
        stage.call.end(Ending.because(Cause.WORKER_STOPPING))
        stage.room.connect(target(stage))
        await asyncio.sleep(0.1)
        assert stage.room.held == {target(stage)}

    play(script, plan=phone_plan())


def test_a_person_who_was_given_up_does_not_hear_the_last_words_either():
    async def script(stage: Stage) -> None:
        await begun(stage, tool())
        stage.call.transfers.not_reached(target(stage), "busy")
        await asyncio.sleep(2)
        stage.call.end(Ending.because(Cause.WORKER_STOPPING))
        await asyncio.sleep(0.5)
        stage.room.connect(target(stage))
        await asyncio.sleep(0.1)
        assert stage.room.held == {target(stage)}

    play(script, plan=phone_plan())


def test_a_connected_person_who_comes_back_hears_the_last_words():
    async def script(stage: Stage) -> None:
        await begun(stage, tool(then="stay"))
        stage.room.connect(target(stage))
        await asyncio.sleep(1)
        stage.room.interrupt(3.0, target(stage))
        await asyncio.sleep(1)
        stage.call.end(Ending.because(Cause.WORKER_STOPPING))
        await asyncio.sleep(0.5)
        stage.room.connect(target(stage))
        await asyncio.sleep(0.1)
        assert stage.room.held == set()

    play(script, plan=phone_plan())


@pytest.mark.parametrize("cause", [Cause.PROVIDERS_FAILED, Cause.AGENT_HUNG_UP, Cause.FUNDS_LAPSED])
def test_callers_do_not_hear_what_a_person_is_told_when_the_call_ends(cause: Cause):
    held_at_silence: list[set[UUID]] = []

    async def script(stage: Stage) -> None:
        async def stop_speaking() -> None:
            held_at_silence.append(set(stage.room.held))

        await begun(stage, tool(mode="warm"), "Ada asks for her bill.")
        stage.room.connect(target(stage))
        await asyncio.sleep(8.5)
        stage.conversation.stop_speaking = stop_speaking
        stage.call.end(Ending.because(cause))
        await asyncio.sleep(0.1)
        assert stage.room.held == {target(stage)}

    ended = play(script, plan=phone_plan())
    assert held_at_silence[0] == {CALLER, target(ended)}


def agent_says(stage: Stage, text: str) -> LiveTranscript:
    said = LiveTranscript(utterance=9, speaker="agent", text=text, is_final=True, at_ms=0)
    stage.call.live(said)
    return said


def test_what_a_person_is_told_in_private_is_not_on_the_callers_pages():
    async def script(stage: Stage) -> None:
        await begun(stage, tool(mode="warm"), "Ada asks for her bill.")
        stage.room.connect(target(stage))
        await asyncio.sleep(8.5)
        assert agent_says(stage, "Ada asks for her bill.") not in stage.room.messages
        await asyncio.sleep(1.5)
        assert agent_says(stage, "You are connected.") in stage.room.messages
        await stage.room.remove_leg(CALLER)

    play(script, plan=phone_plan())


@pytest.mark.parametrize("ends", [True, False], ids=["the call ends", "the person hangs up"])
def test_what_a_person_has_heard_until_cut_off_is_not_on_the_callers_pages_either(*, ends: bool):
    shown: list[bool] = []

    async def script(stage: Stage) -> None:
        async def stop_speaking() -> None:
            shown.append(agent_says(stage, "Ada asks for") in stage.room.messages)

        await begun(stage, tool(mode="warm"), "Ada asks for her bill.")
        stage.room.connect(target(stage))
        await asyncio.sleep(8.5)
        stage.conversation.stop_speaking = stop_speaking
        if ends:
            stage.call.end(Ending.because(Cause.AGENT_HUNG_UP))
        else:
            await stage.room.remove_leg(target(stage))
        await asyncio.sleep(0.1)
        assert agent_says(stage, "Goodbye.") in stage.room.messages
        if not ends:
            await stage.room.remove_leg(CALLER)

    play(script, plan=phone_plan())
    assert shown == [False]


def test_a_caller_whose_connection_comes_back_is_on_hold_again():
    async def script(stage: Stage) -> None:
        await begun(stage, tool(mode="warm"))
        stage.room.lose()
        await asyncio.sleep(1)
        assert stage.room.held == set()
        stage.room.connect()
        await asyncio.sleep(1)
        assert stage.room.held == {CALLER}
        await stage.room.remove_leg(CALLER)

    play(script, plan=phone_plan())


def test_a_person_is_not_left_alone_when_the_caller_does_not_come_back():
    async def script(stage: Stage) -> None:
        await begun(stage, tool())
        stage.room.lose()
        await asyncio.sleep(1)
        stage.room.connect(target(stage))
        await asyncio.sleep(10)
        assert stage.call.end_reason == EndReason.CLIENT_DISCONNECTED

    play(script, plan=phone_plan())


@pytest.mark.parametrize("mode", ["cold", "warm"])
def test_a_caller_who_reloads_the_page_while_a_person_is_there_may_come_back(mode: str):
    async def script(stage: Stage) -> None:
        await begun(stage, tool(mode=mode))
        stage.room.connect(target(stage))
        await asyncio.sleep(1)
        stage.room.lose()
        await asyncio.sleep(3)
        stage.room.connect()
        await asyncio.sleep(10)
        assert stage.call.people == {CALLER, target(stage)}
        stage.call.end(Ending.because(Cause.AGENT_HUNG_UP))

    assert play(script).ended.end_reason == EndReason.END_CALL_TOOL


def test_a_caller_who_is_lost_while_a_person_is_there_has_not_hung_up():
    async def script(stage: Stage) -> None:
        await begun(stage, tool())
        stage.room.connect(target(stage))
        await asyncio.sleep(1)
        stage.room.lose()

    assert play(script).ended.end_reason == EndReason.CLIENT_DISCONNECTED


def test_a_callers_phone_that_is_lost_while_a_person_is_there_fails_in_its_carriers_name():
    async def script(stage: Stage) -> None:
        await asyncio.sleep(1)
        await stage.call.add_phone(dialed_phone())
        await begun(stage, tool())
        stage.room.connect(target(stage))
        await asyncio.sleep(1)
        stage.room.give_up()

    assert play(script, plan=phone_plan()).ended.lost_carrier == "twilio"


def test_a_caller_who_hangs_up_just_after_the_connection_closed_leaves_no_person_alone():
    async def script(stage: Stage) -> None:
        await begun(stage, tool())
        stage.room.connect(target(stage))
        await asyncio.sleep(1)
        stage.room.lose()
        await asyncio.sleep(0.1)
        await stage.call.remove_leg(CALLER)

    assert play(script).ended.end_reason == EndReason.PARTICIPANT_DISCONNECTED


def test_a_person_who_hangs_up_while_the_caller_reloads_the_page_brings_the_call_back():
    async def script(stage: Stage) -> None:
        await begun(stage, tool(mode="warm"))
        stage.room.connect(target(stage))
        await asyncio.sleep(1)
        stage.room.lose()
        await asyncio.sleep(1)
        await stage.room.remove_leg(target(stage))
        await asyncio.sleep(1)
        stage.room.connect()
        await asyncio.sleep(10)
        assert stage.conversation.listens
        stage.call.end(Ending.because(Cause.AGENT_HUNG_UP))

    assert play(script).ended.end_reason == EndReason.END_CALL_TOOL


def test_a_person_who_hangs_up_during_the_announcement_holds_up_no_recording():
    async def script(stage: Stage) -> None:
        async def announce(text: str) -> bool:
            await asyncio.sleep(5)
            return False

        await begun(stage, tool(then="stay"))
        stage.conversation.announce = announce
        stage.room.connect(target(stage))
        await asyncio.sleep(2)
        await stage.room.remove_leg(target(stage))
        await asyncio.sleep(5)
        await hear(stage, VOICE, 1.0)
        await stage.room.remove_leg(CALLER)

    ended = play(script, parts=MemoryPartStore())
    (stopped,) = [each for each in ended.journal.bodies if isinstance(each, RecordingStopped)]
    assert stopped.duration_ms > 0, "what the caller says afterwards is recorded"

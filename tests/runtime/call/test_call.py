"""Whole calls in virtual time, with a room and a conversation that follow the test."""

from __future__ import annotations

import asyncio
from uuid import UUID

import pytest

from contracts.agent_config import Features
from contracts.call_plan import CallLimits, PlannedParticipant
from contracts.end_reasons import EndReason
from contracts.events import (
    CallEnded,
    CallMetered,
    Logged,
    SlotsCollected,
    ToolCalled,
)
from runtime.call.call import Call
from runtime.call.end_cause import Cause, Ending, RoomNotOpened, SessionNotStarted
from runtime.call.funds import BALANCE_SPENT, NOT_EXTENDED
from runtime.media.room import BadOffer, Room, RoomClosed
from runtime.slots import RESERVED_SECONDS, Slots
from tests.runtime import virtual_time
from tests.runtime.call.stage import PATIENT, Stage, connected, play
from tests.runtime.fakes import (
    CALLER,
    EventList,
    FakeConversation,
    FakePhrases,
    FakeRoom,
    call_plan,
    no_recorded_apology,
)


def test_only_an_offer_that_is_answered_keeps_its_slot():
    slots, used = Slots(1), []

    async def script(stage: Stage) -> None:
        await asyncio.sleep(RESERVED_SECONDS + 1)
        used.append(slots.used)
        answer, stage.room.answer_offer = stage.room.answer_offer, refuse
        with pytest.raises(BadOffer):
            await stage.call.answer_offer(CALLER, "caller", "offer")
        used.append(slots.used)
        stage.room.answer_offer = answer
        await stage.call.answer_offer(CALLER, "caller", "offer")
        used.append(slots.used)
        stage.room.answer_offer = refuse
        with pytest.raises(BadOffer):
            await stage.call.answer_offer(CALLER, "caller", "offer")
        used.append(slots.used)
        stage.call.end_call()

    async def refuse(participant: object, sdp: str) -> str:
        raise BadOffer("not SDP")

    play(script, slots=slots)
    assert used == [0, 0, 1, 1]


def test_an_offer_that_is_refused_leaves_the_slot_to_one_that_is_being_answered():
    slots, used = Slots(1), []
    other = UUID(int=9)

    async def script(stage: Stage) -> None:
        await asyncio.sleep(RESERVED_SECONDS + 1)
        answer, may_answer = stage.room.answer_offer, asyncio.Event()

        async def answer_the_caller(participant: PlannedParticipant, sdp: str) -> str:
            if participant.participant_id == other:
                raise BadOffer("not SDP")
            await may_answer.wait()
            return await answer(participant, sdp)

        stage.room.answer_offer = answer_the_caller
        first = asyncio.create_task(stage.call.answer_offer(CALLER, "caller", "offer"))
        await asyncio.sleep(0.1)
        with pytest.raises(BadOffer):
            await stage.call.answer_offer(other, "other", "offer")
        used.append(slots.used)
        may_answer.set()
        await first
        used.append(slots.used)
        stage.call.end_call()

    play(script, slots=slots)
    assert used == [1, 1]


def test_a_call_from_room_to_hang_up():
    async def script(stage: Stage) -> None:
        await connected(stage)
        await asyncio.sleep(6.9)
        await stage.call.remove_leg(CALLER)

    stage = play(script)
    assert stage.opened_at == [0.0]
    assert stage.journal.types() == [
        "room.opened",
        "call.started",
        "leg.joined",
        "call.metered",
        "leg.left",
        "call.ended",
    ]
    assert stage.ended == CallEnded(
        end_reason=EndReason.PARTICIPANT_DISCONNECTED, connected_ms=7000
    )
    assert stage.conversation.said == ["greeting"]
    assert stage.conversation.closed
    assert stage.room.closed


def test_nobody_comes():
    async def script(stage: Stage) -> None: ...

    stage = play(script)
    assert stage.ended == CallEnded(end_reason=EndReason.ROOM_CONNECTION_FAILED, connected_ms=None)
    assert stage.ended_at == pytest.approx(60)


def test_connected_time_is_reported_every_five_seconds():
    async def script(stage: Stage) -> None:
        await connected(stage)
        for _ in range(2):
            await asyncio.sleep(5)
            stage.call.activity(user_speaking=True, agent_active=False)
        stage.call.end(Ending.commanded(EndReason.NORMAL_HANGUP, None))

    reported = [
        body.connected_ms for body in play(script).journal.bodies if isinstance(body, CallMetered)
    ]
    assert reported == [4000, 9000]


def test_connected_time_is_reported_less_often_while_the_control_plane_is_behind():
    async def script(stage: Stage) -> None:
        await connected(stage)
        for _ in range(8):
            await asyncio.sleep(5)
            stage.call.activity(user_speaking=True, agent_active=False)
        stage.call.end(Ending.commanded(EndReason.NORMAL_HANGUP, None))

    stage = play(script, is_backed_up=True)
    reported = [b.connected_ms for b in stage.journal.bodies if isinstance(b, CallMetered)]
    assert reported == [19_000, 39_000]
    assert stage.ended.connected_ms is not None
    assert stage.ended.connected_ms > 40_000, "the bill counts everything"


def test_silence_is_nudged_and_then_ends_the_call():
    async def script(stage: Stage) -> None:
        await connected(stage)

    stage = play(script)
    assert stage.conversation.said == ["greeting", "nudge", "farewell: silence_dead_air"]
    assert stage.ended.end_reason is EndReason.SILENCE_DEAD_AIR
    assert stage.ended.connected_ms == (1 + 8 + 1 + 15 + 1) * 1000 + 300


def test_the_maximum_duration_is_not_exceeded():
    limits = CallLimits(
        max_duration_seconds=30, silence_prompt_seconds=100, silence_hangup_seconds=100
    )

    async def script(stage: Stage) -> None:
        await connected(stage)
        stage.conversation.say_seconds = 1000.0

    stage = play(script, plan=call_plan(limits=limits))
    assert stage.ended.end_reason is EndReason.MAX_CALL_DURATION
    assert stage.ended.connected_ms is not None
    assert 29_000 <= stage.ended.connected_ms <= 30_000


def test_a_session_that_does_not_start():
    async def script(stage: Stage) -> None: ...

    stage = play(script, start_failure=SessionNotStarted("no model"))
    assert stage.ended == CallEnded(
        end_reason=EndReason.SESSION_START_FAILED, connected_ms=None, detail="no model"
    )


def test_a_room_that_does_not_open_is_not_acknowledged():
    async def script(stage: Stage) -> None: ...

    stage = play(script, room_failure=RoomNotOpened("no port"))
    assert stage.opened_at == []
    assert stage.journal.bodies == [
        CallEnded(end_reason=EndReason.ROOM_SETUP_FAILED, connected_ms=None, detail="no port")
    ]


def test_a_broken_task_ends_the_call_with_session_error():
    async def broken() -> None:
        raise KeyError("bug")

    async def script(stage: Stage) -> None:
        await connected(stage)
        stage.call.spawn(broken())

    stage = play(script)
    assert stage.ended.end_reason is EndReason.SESSION_ERROR
    assert stage.ended.detail == "KeyError: 'bug'"


def test_a_cancelled_call_is_ended_by_the_shutdown():
    async def main() -> EventList:
        room, journal = FakeRoom(), EventList()

        async def open_room() -> Room:
            return room

        async def on_open() -> None: ...

        loop = asyncio.get_running_loop()
        call = Call(
            call_plan(),
            journal,
            open_room=open_room,
            open_conversation=lambda plan, room, actions, record: FakeConversation(record, actions),
            phrases=FakePhrases(),
            recorded_apology=no_recorded_apology,
            clock=loop.time,
        )
        running = asyncio.create_task(call.run(on_open))
        await asyncio.sleep(0.1)
        room.connect()
        await asyncio.sleep(3)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        return journal

    journal = virtual_time.run(main())
    assert journal.bodies[-1] == CallEnded(end_reason=EndReason.SERVER_SHUTDOWN, connected_ms=3000)


def test_an_offer_waits_for_the_room_to_open():
    async def script(stage: Stage) -> None:
        await stage.call.answer_offer(CALLER, "caller", "offer")
        assert stage.opened_at == [2.0]
        await stage.call.remove_leg(CALLER)

    stage = play(script, room_opens_after_seconds=2.0)
    assert "call.started" in stage.journal.types()


def test_an_ending_call_takes_no_legs():
    refused: list[bool] = []

    async def script(stage: Stage) -> None:
        await connected(stage)
        stage.call.end(Ending.because(Cause.MAX_DURATION_REACHED))
        try:
            await stage.call.answer_offer(UUID(int=9), "late", "offer")
        except RoomClosed:
            refused.append(True)

    play(script)
    assert refused == [True]


def test_collected_slots_are_facts():
    async def script(stage: Stage) -> None:
        await connected(stage)
        stage.conversation.actions.collected_slots({"name": "Ada"})
        stage.conversation.actions.end_call()

    assert SlotsCollected(slots={"name": "Ada"}) in play(script).journal.bodies


def test_what_the_caller_has_made_known_is_in_the_event_log():
    async def script(stage: Stage) -> None:
        await connected(stage)
        stage.conversation.actions.note("The caller reports an emergency.")
        stage.conversation.actions.end_call()

    line = Logged(level="info", message="The caller reports an emergency.")
    assert line in play(script).journal.bodies


def test_without_a_transcript_nothing_that_was_said_is_kept():
    async def script(stage: Stage) -> None:
        await connected(stage)
        stage.conversation.actions.collected_slots({"name": "Ada"})
        said = ToolCalled(name="book", arguments={"name": "Ada"}, output="Booked for Ada.")
        stage.call.fact(said)
        stage.conversation.actions.note("Ada reports an emergency.")
        stage.conversation.actions.end_call()

    agent = call_plan().agent.model_copy(update={"features": Features(transcription_enabled=False)})
    stage = play(script, plan=call_plan().model_copy(update={"agent": agent}))
    assert ToolCalled(name="book") in stage.journal.bodies
    assert "Ada" not in str(stage.journal.bodies)
    assert stage.journal.bodies[-1].type == "call.ended"


def test_positions_count_from_the_first_leg():
    positions: list[int] = []

    async def script(stage: Stage) -> None:
        positions.append(stage.call.position_ms())
        await connected(stage)
        await asyncio.sleep(1.9)
        loop = asyncio.get_running_loop()
        positions.append(stage.call.position_ms())
        positions.append(stage.call.position_ms(loop.time() - 0.5))
        stage.call.end_call()

    play(script)
    assert positions == [0, 2000, 1500]


def test_a_call_whose_paid_time_is_not_extended_ends_by_itself_and_costs_no_more():
    async def script(stage: Stage) -> None:
        await connected(stage)
        stage.conversation.say_seconds = 6.0

    stage = play(script, plan=call_plan(limits=PATIENT), funded_until_ms=30_000)
    assert stage.conversation.said[-1] == "farewell: insufficient_funds"
    assert stage.ended == CallEnded(
        end_reason=EndReason.INSUFFICIENT_FUNDS, connected_ms=30_000, detail=NOT_EXTENDED
    )
    assert stage.ended_at == pytest.approx(1 + 26 + 6 + 0.3 + 0.1), (
        "the rest of the goodbye is free"
    )
    readings = [b.connected_ms for b in stage.journal.bodies if isinstance(b, CallMetered)]
    assert max(readings) <= 30_000


def test_paid_time_that_is_extended_is_delivered():
    async def script(stage: Stage) -> None:
        await connected(stage)
        await asyncio.sleep(20)
        stage.call.extend_funds(60_000, balance_is_spent=False)
        await asyncio.sleep(30)
        stage.call.extend_funds(90_000, balance_is_spent=True)
        stage.call.extend_funds(60_000, balance_is_spent=False)

    stage = play(script, plan=call_plan(limits=PATIENT), funded_until_ms=30_000)
    assert stage.ended.end_reason is EndReason.INSUFFICIENT_FUNDS
    assert stage.ended.detail == BALANCE_SPENT
    assert stage.ended.connected_ms == (90 - 4 + 1) * 1000 + 300


def test_a_call_that_costs_nothing_runs_to_its_maximum():
    async def script(stage: Stage) -> None:
        await connected(stage)

    limits = PATIENT.model_copy(update={"silence_prompt_seconds": 2000.0})
    stage = play(script, plan=call_plan(limits=limits))
    assert stage.ended.end_reason is EndReason.MAX_CALL_DURATION

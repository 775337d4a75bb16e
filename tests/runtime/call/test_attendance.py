"""Who comes to a call and goes, in virtual time."""

from __future__ import annotations

import asyncio
from uuid import UUID

import pytest

from contracts.end_reasons import EndReason
from contracts.events import (
    CallEnded,
    LegLeft,
)
from contracts.live_messages import ParticipantStateChanged
from runtime.call.attendance import REJOIN_SECONDS
from tests.runtime.call.stage import Stage, connected, play
from tests.runtime.fakes import (
    CALLER,
    call_plan,
)


def test_a_call_ends_when_everybody_who_was_invited_has_left_before_joining():
    async def script(stage: Stage) -> None:
        await asyncio.sleep(1)
        await stage.call.remove_leg(CALLER)

    stage = play(script)
    assert stage.ended == CallEnded(
        end_reason=EndReason.PARTICIPANT_DISCONNECTED, connected_ms=None
    )
    assert stage.ended_at == pytest.approx(1)


def test_a_call_ends_when_its_caller_leaves_while_the_browser_connects():
    async def script(stage: Stage) -> None:
        stage.room.connect = lambda participant_id: None  # type: ignore[method-assign]
        await stage.call.answer_offer(CALLER, "caller", "offer")
        await stage.call.remove_leg(CALLER)

    stage = play(script)
    assert stage.ended == CallEnded(
        end_reason=EndReason.PARTICIPANT_DISCONNECTED, connected_ms=None
    )
    assert stage.ended_at == pytest.approx(0)


def test_a_call_waits_for_the_others_when_one_has_left_before_joining():
    (caller,) = call_plan().participants
    other = UUID(int=9)
    both = (caller, caller.model_copy(update={"participant_id": other}))

    async def script(stage: Stage) -> None:
        await asyncio.sleep(1)
        await stage.call.remove_leg(CALLER)
        await asyncio.sleep(1)
        assert not stage.journal.has_ended
        await stage.call.remove_leg(other)

    stage = play(script, plan=call_plan().model_copy(update={"participants": both}))
    assert stage.ended.end_reason is EndReason.PARTICIPANT_DISCONNECTED
    assert stage.ended_at == pytest.approx(2)


def test_a_caller_whose_connection_closes_just_before_the_goodbye_is_read_has_left():
    async def script(stage: Stage) -> None:
        await connected(stage)
        await asyncio.sleep(3)
        stage.room.lose()
        await stage.call.remove_leg(CALLER)

    stage = play(script)
    assert stage.ended.end_reason is EndReason.PARTICIPANT_DISCONNECTED
    (left,) = [each for each in stage.journal.bodies if isinstance(each, LegLeft)]
    assert left.cause == "left"
    assert stage.ended_at == pytest.approx(4.1)


def test_a_lost_connection_may_come_back():
    async def script(stage: Stage) -> None:
        await connected(stage)
        stage.room.lose()
        await asyncio.sleep(4)
        stage.room.connect()
        await asyncio.sleep(2)
        await stage.call.remove_leg(CALLER)

    stage = play(script)
    assert stage.ended.end_reason is EndReason.PARTICIPANT_DISCONNECTED
    assert stage.ended.connected_ms == pytest.approx(2100, abs=1)
    assert stage.journal.types().count("call.started") == 1
    assert stage.journal.types().count("leg.joined") == 2


def test_each_lost_connection_has_its_whole_time_to_come_back():
    async def script(stage: Stage) -> None:
        await connected(stage)
        stage.room.lose()
        await asyncio.sleep(1)
        stage.room.connect()
        await asyncio.sleep(3.5)
        stage.room.lose()

    stage = play(script)
    assert stage.ended.end_reason is EndReason.CLIENT_DISCONNECTED
    assert stage.ended_at == pytest.approx(1.1 + 4.5 + REJOIN_SECONDS)


def test_a_caller_who_was_away_and_closes_the_connection_may_come_back_on_a_new_one():
    async def script(stage: Stage) -> None:
        await connected(stage)
        await asyncio.sleep(5)
        stage.room.interrupt(2.0)
        await asyncio.sleep(3)
        stage.room.lose()
        await asyncio.sleep(4)
        stage.room.connect()
        await asyncio.sleep(2)
        await stage.call.remove_leg(CALLER)

    stage = play(script)
    assert stage.ended == CallEnded(
        end_reason=EndReason.PARTICIPANT_DISCONNECTED, connected_ms=5100 - 2000 + 2000
    )


def test_an_interrupted_leg_holds_the_agent_and_the_meter_until_it_is_back():
    seen: list[bool] = []

    async def script(stage: Stage) -> None:
        await connected(stage)
        await asyncio.sleep(5)
        stage.room.interrupt(2.0)
        await asyncio.sleep(12)
        seen.append(stage.conversation.is_paused)
        stage.room.connect()
        await asyncio.sleep(3)
        seen.append(stage.conversation.is_paused)
        await stage.call.remove_leg(CALLER)

    stage = play(script)
    assert seen == [True, False]
    assert stage.conversation.said == ["greeting"], "nobody is asked whether they are still there"
    assert stage.ended == CallEnded(
        end_reason=EndReason.PARTICIPANT_DISCONNECTED, connected_ms=5100 - 2000 + 3000
    )
    assert stage.journal.types().count("leg.joined") == 1
    assert stage.journal.types().count("leg.left") == 1
    assert [
        (body.state, body.may_return)
        for body in stage.room.messages
        if isinstance(body, ParticipantStateChanged)
    ] == [("connected", False), ("connection_lost", True), ("connected", False), ("left", False)]


def test_an_interrupted_leg_that_stays_away_ends_the_call_billed_to_its_last_media():
    async def script(stage: Stage) -> None:
        await connected(stage)
        await asyncio.sleep(5)
        stage.room.interrupt(2.0)
        await asyncio.sleep(18)
        stage.room.give_up()

    stage = play(script)
    assert stage.ended == CallEnded(
        end_reason=EndReason.CLIENT_DISCONNECTED, connected_ms=5100 - 2000
    )
    assert stage.ended_at == pytest.approx(1.1 + 5 + 18), "it has had its time already"
    assert LegLeft(participant_id=CALLER, cause="connection_lost") in stage.journal.bodies


def test_the_call_goes_on_while_one_of_two_is_away_and_waits_when_the_other_leaves():
    other = UUID(int=9)

    async def script(stage: Stage) -> None:
        await connected(stage)
        stage.room.connect(other)
        await asyncio.sleep(1)
        stage.room.interrupt(0.5)
        await asyncio.sleep(3)
        assert not stage.conversation.is_paused
        await stage.call.remove_leg(other)
        await asyncio.sleep(4)
        assert stage.conversation.is_paused
        stage.room.give_up()

    stage = play(script)
    assert stage.ended == CallEnded(end_reason=EndReason.CLIENT_DISCONNECTED, connected_ms=4100)


def test_who_hangs_up_just_after_the_connection_closed_has_left():
    async def script(stage: Stage) -> None:
        await connected(stage)
        stage.room.lose()
        await asyncio.sleep(0.1)
        await stage.call.remove_leg(CALLER)

    stage = play(script)
    assert stage.ended.end_reason is EndReason.PARTICIPANT_DISCONNECTED
    assert stage.ended_at < 2


def test_a_lost_connection_that_stays_away_ends_the_call_unbilled_for_the_wait():
    async def script(stage: Stage) -> None:
        await connected(stage)
        stage.room.lose()

    stage = play(script)
    assert stage.ended.end_reason is EndReason.CLIENT_DISCONNECTED
    assert stage.ended.connected_ms == pytest.approx(100, abs=1)
    assert stage.ended_at == pytest.approx(6.1)

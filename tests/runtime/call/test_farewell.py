"""What is said before a call ends, in virtual time."""

from __future__ import annotations

import asyncio

import pytest

from contracts.end_reasons import EndReason
from contracts.events import (
    CallEnded,
    LegLeft,
)
from contracts.live_messages import CallOver
from runtime.call.end_cause import Ending, ProvidersFailed, SessionNotStarted
from runtime.call.farewell import LINGER_SECONDS, farewell_seconds
from tests.runtime.call.stage import Stage, connected, play
from tests.runtime.fakes import (
    CALLER,
)


def test_a_farewell_ends_when_nobody_hears_it_any_more():
    async def script(stage: Stage) -> None:
        await connected(stage)
        await asyncio.sleep(2)
        stage.conversation.say_seconds = 8.0
        stage.call.end(Ending.commanded(EndReason.INSUFFICIENT_FUNDS, "a long story"))
        await asyncio.sleep(3)
        stage.room.interrupt(2.0)

    stage = play(script)
    assert stage.ended == CallEnded(end_reason=EndReason.INSUFFICIENT_FUNDS, connected_ms=3100)
    assert stage.ended_at == pytest.approx(1.1 + 2 + 3 + 0.1)


def test_the_agent_hangs_up_after_its_last_sentence_was_heard():
    async def script(stage: Stage) -> None:
        await connected(stage)
        stage.conversation.actions.end_call()

    stage = play(script)
    assert stage.conversation.said == ["greeting"]
    assert stage.ended == CallEnded(end_reason=EndReason.END_CALL_TOOL, connected_ms=1300)
    assert stage.room.messages[-1] == CallOver(end_reason="end_call_tool")
    assert LegLeft(participant_id=CALLER, cause="call_ended") in stage.journal.bodies


def test_an_agent_that_hangs_up_without_a_word_says_goodbye():
    async def script(stage: Stage) -> None:
        await connected(stage)
        await asyncio.sleep(2)
        stage.conversation.has_answered = False
        stage.conversation.actions.end_call()

    stage = play(script)
    assert stage.conversation.said == ["greeting", "farewell: end_call_tool"]
    assert stage.ended.end_reason is EndReason.END_CALL_TOOL


def test_a_commanded_end_without_farewell_is_at_once():
    async def script(stage: Stage) -> None:
        await connected(stage)
        stage.call.end(Ending.commanded(EndReason.NORMAL_HANGUP, None))

    stage = play(script)
    assert stage.ended == CallEnded(end_reason=EndReason.NORMAL_HANGUP, connected_ms=100)


def test_a_commanded_farewell_is_said():
    async def script(stage: Stage) -> None:
        await connected(stage)
        await asyncio.sleep(2)
        stage.call.end(Ending.commanded(EndReason.INSUFFICIENT_FUNDS, "no money left"))

    stage = play(script)
    assert stage.conversation.cut_off
    assert stage.conversation.said == ["greeting", "no money left"]
    assert stage.ended.end_reason is EndReason.INSUFFICIENT_FUNDS


def test_a_caller_who_leaves_during_the_farewell_need_not_hear_it():
    async def script(stage: Stage) -> None:
        await connected(stage)
        await asyncio.sleep(2)
        stage.conversation.say_seconds = 8.0
        stage.call.end(Ending.commanded(EndReason.INSUFFICIENT_FUNDS, "a long story"))
        await asyncio.sleep(1)
        await stage.call.remove_leg(CALLER)

    stage = play(script)
    assert stage.ended == CallEnded(end_reason=EndReason.INSUFFICIENT_FUNDS, connected_ms=3100)


def test_a_farewell_is_said_to_its_end_however_long_it_is():
    async def script(stage: Stage) -> None:
        await connected(stage)
        await asyncio.sleep(2)
        stage.conversation.say_seconds = 40.0
        stage.room.voice.queued_seconds = 0.2
        stage.call.end(Ending.commanded(EndReason.NORMAL_HANGUP, "a long story"))

    stage = play(script)
    assert stage.conversation.said == ["greeting", "a long story"]
    assert stage.ended.connected_ms == pytest.approx(42_400, abs=1)


def test_nothing_is_said_in_a_room_that_has_closed_by_itself():
    async def script(stage: Stage) -> None:
        await stage.call.answer_offer(CALLER, "caller", "offer")
        await asyncio.sleep(5)
        await stage.room.aclose()

    stage = play(script)
    assert stage.ended.end_reason is EndReason.SESSION_ERROR
    assert stage.conversation.said == ["greeting"]


def test_a_farewell_of_which_nothing_is_heard_is_given_up():
    async def script(stage: Stage) -> None:
        await connected(stage)
        await asyncio.sleep(2)
        stage.conversation.say_seconds = 1000.0
        stage.call.end(Ending.commanded(EndReason.NORMAL_HANGUP, "a very long story"))

    stage = play(script)
    assert stage.conversation.said == ["greeting"]
    assert stage.ended.connected_ms == pytest.approx(12_200, abs=200)


def test_a_farewell_that_noise_has_paused_is_given_up():
    async def script(stage: Stage) -> None:
        await connected(stage)
        await asyncio.sleep(2)
        stage.conversation.say_seconds = 1000.0
        stage.room.voice.queued_seconds = 0.2
        stage.room.voice.is_paused = True
        stage.call.end(Ending.commanded(EndReason.NORMAL_HANGUP, "a very long story"))

    stage = play(script)
    assert stage.conversation.said == ["greeting"]
    assert stage.ended.connected_ms == pytest.approx(12_200, abs=200)


def test_the_first_reason_counts():
    async def script(stage: Stage) -> None:
        await connected(stage)
        stage.conversation.actions.end_call()
        stage.call.end(Ending.commanded(EndReason.NORMAL_HANGUP, None))

    assert play(script).ended.end_reason is EndReason.END_CALL_TOOL


def test_failed_providers_are_apologised_for():
    async def script(stage: Stage) -> None:
        await connected(stage)
        stage.call.failed(ProvidersFailed("llm_error: gone"))

    stage = play(script)
    assert stage.conversation.said[-1] == "apology: farewell: no_provider_connected"
    assert stage.ended.end_reason is EndReason.NO_PROVIDER_CONNECTED
    assert stage.ended.detail == "llm_error: gone"


def test_a_caller_who_waits_for_an_agent_that_does_not_start_hears_an_apology():
    stage = play(connected, start_failure=SessionNotStarted("no model"), start_seconds=3.0)
    assert stage.conversation.said == ["apology: farewell: session_start_failed"]
    assert stage.ended.end_reason is EndReason.SESSION_START_FAILED
    assert stage.ended.detail == "no model"


@pytest.mark.parametrize(
    ("started_at", "now", "seconds"),
    [
        (100.0, 694.0, 6.0 - LINGER_SECONDS),
        (100.0, 700.0, 0.0),
        (100.0, 800.0, 0.0),
    ],
    ids=["near the maximum", "at the maximum", "after it"],
)
def test_how_long_a_farewell_may_take(started_at: float, now: float, seconds: float) -> None:
    assert farewell_seconds(started_at, 600, now) == pytest.approx(seconds)

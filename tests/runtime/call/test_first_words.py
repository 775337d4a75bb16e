"""What people hear first, in virtual time."""

from __future__ import annotations

import asyncio

import numpy as np

from contracts.agent_config import Features
from contracts.end_reasons import EndReason
from contracts.events import (
    RecordingStopped,
    TranscriptSegment,
)
from runtime.call.end_cause import Cause, Ending
from runtime.conversation.transcript import Transcript
from runtime.media.room import HeardFrames
from tests.runtime.call.stage import Stage, connected, play
from tests.runtime.fakes import (
    CALLER,
    call_plan,
)
from tests.runtime.recording.stores import MemoryPartStore


def test_the_first_words_are_made_once_when_somebody_connects():
    async def script(stage: Stage) -> None:
        await asyncio.sleep(5)
        (conversation,) = stage.conversations
        assert conversation.prepared == [], "nobody may ever join"
        await stage.call.answer_offer(CALLER, "caller", "offer")
        await stage.call.answer_offer(CALLER, "caller", "offer")
        await asyncio.sleep(1)
        stage.call.end(Ending.because(Cause.AGENT_HUNG_UP))

    assert play(script).conversations[0].prepared == [None]


def test_a_recorded_call_is_announced_before_the_opener_and_stopped_before_its_end():
    async def script(stage: Stage) -> None:
        await connected(stage)
        await asyncio.sleep(3)
        await stage.call.remove_leg(CALLER)

    stage = play(script, parts=MemoryPartStore())
    assert stage.conversation.said == ["announcement", "greeting"]
    assert stage.journal.types() == [
        "room.opened",
        "call.started",
        "leg.joined",
        "recording.started",
        "leg.left",
        "recording.stopped",
        "call.ended",
    ]


def test_a_call_that_ends_during_the_announcement_has_no_opener():
    async def script(stage: Stage) -> None:
        async def announce(text: str) -> bool:
            await cut_off.wait()
            return False

        async def stop_speaking() -> None:
            cut_off.set()

        await asyncio.sleep(1)
        cut_off = asyncio.Event()
        stage.conversation.announce = announce
        stage.conversation.stop_speaking = stop_speaking
        await stage.call.answer_offer(CALLER, "caller", "offer")
        await asyncio.sleep(0.5)
        stage.call.end(Ending.commanded(EndReason.NORMAL_HANGUP, "Goodbye."))

    assert play(script, parts=MemoryPartStore()).conversation.said == ["Goodbye."]


def test_a_caller_who_refuses_to_be_recorded_is_told_so_and_talks_on():
    async def script(stage: Stage) -> None:
        await connected(stage)
        await asyncio.sleep(3)
        stage.call.fact(
            TranscriptSegment(
                sequence=0,
                speaker="user",
                text="Please do not record me.",
                started_at_ms=0,
                ended_at_ms=1000,
            )
        )
        await asyncio.sleep(3)
        await stage.call.remove_leg(CALLER)

    stage = play(script, parts=MemoryPartStore())
    assert stage.conversation.said == ["announcement", "greeting", "not recorded"]
    types = stage.journal.types()
    assert types.index("transcript.segment") + 1 == types.index("recording.stopped")
    assert types.count("recording.stopped") == 1
    assert types[-2:] == ["leg.left", "call.ended"]


def test_a_refusal_is_heard_although_the_agent_keeps_no_transcript():
    async def script(stage: Stage) -> None:
        await connected(stage)
        await asyncio.sleep(3)
        refusal = "Please do not record me."
        Transcript(stage.call, keep=False).user_turn(
            refusal, started_at_ms=0, ended_at_ms=1000, now_ms=1000
        )
        await asyncio.sleep(3)
        await stage.call.remove_leg(CALLER)

    agent = call_plan().agent.model_copy(update={"features": Features(transcription_enabled=False)})
    plan = call_plan().model_copy(update={"agent": agent})
    stage = play(script, plan=plan, parts=MemoryPartStore())
    assert stage.conversation.said == ["announcement", "greeting", "not recorded"]
    (stopped,) = [each for each in stage.journal.bodies if isinstance(each, RecordingStopped)]
    assert stopped.refused
    assert "transcript.segment" not in stage.journal.types()


def test_a_store_that_is_away_disturbs_no_call():
    async def script(stage: Stage) -> None:
        await connected(stage)
        await asyncio.sleep(2)
        for index in range(300):
            samples = np.ones(960, np.int16)
            stage.room.tapped_by(HeardFrames(index, [samples], samples[:480]))
            await asyncio.sleep(0.02)
        await stage.call.remove_leg(CALLER)

    stage = play(script, parts=MemoryPartStore(away=True))
    assert stage.ended.end_reason is EndReason.PARTICIPANT_DISCONNECTED
    (stopped,) = [each for each in stage.journal.bodies if isinstance(each, RecordingStopped)]
    assert "did not take these parts" in stopped.detail

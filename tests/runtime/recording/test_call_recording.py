"""From when on a call is recorded."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Literal
from uuid import UUID

import numpy as np
import pytest

from contracts.agent_config import AgentConfig, Features
from contracts.call_plan import CallPlan
from contracts.events import (
    EventBody,
    Logged,
    RecordingStarted,
    RecordingStopped,
    TranscriptSegment,
)
from contracts.live_messages import LiveTranscript
from contracts.recording import PART_MS
from runtime.media.room import HeardFrames
from runtime.recording.call_recording import CallRecording
from tests.runtime.fakes import (
    CALLER,
    FakeConversation,
    FakePhrases,
    FakeRecord,
    FakeRoom,
    call_plan,
)
from tests.runtime.recording.stores import MemoryPartStore

SOMEBODY_ELSE = UUID(int=5)


def plan_with(*, require_consent: bool) -> CallPlan:
    features = Features(recording_enabled=True, require_consent=require_consent)
    return call_plan().model_copy(update={"agent": AgentConfig(name="Ada", features=features)})


class Stage:
    def __init__(self, *, require_consent: bool, executor: ThreadPoolExecutor) -> None:
        self.room, self.record, self.store = FakeRoom(), FakeRecord(), MemoryPartStore()
        self.conversation = FakeConversation(self.record, None, say_seconds=0.0)  # type: ignore[arg-type]
        self.recording = CallRecording(
            plan_with(require_consent=require_consent),
            self.room,
            self.record,
            FakePhrases(),
            self.store,
            executor,
        )
        self.frames = 0

    def hear(self, level: int) -> None:
        """One frame of everybody, if anybody listens."""
        self.frames += 1
        if self.room.tapped_by is not None:
            samples = np.full(960, level, np.int16)
            self.room.tapped_by(HeardFrames(self.frames, [samples], samples[:480]))

    @property
    def is_recording(self) -> bool:
        return any(isinstance(fact, RecordingStarted) for fact in self.record.facts)


def play(script: Callable[[Stage], Coroutine[Any, Any, None]], *, require_consent: bool) -> Stage:
    with ThreadPoolExecutor(1) as executor:

        async def main() -> Stage:
            stage = Stage(require_consent=require_consent, executor=executor)
            await script(stage)
            return stage

        return asyncio.run(main())


def test_without_consent_the_recording_begins_with_the_call() -> None:
    async def script(stage: Stage) -> None:
        stage.recording.joined(CALLER)
        assert stage.is_recording
        await stage.recording.announce(stage.conversation)
        assert stage.conversation.said == []

    play(script, require_consent=False)


@pytest.mark.parametrize("require_consent", [True, False])
def test_a_recording_ends_with_the_last_who_leaves_and_goes_on_when_one_is_back(
    *, require_consent: bool
) -> None:
    async def script(stage: Stage) -> None:
        stage.recording.joined(CALLER)
        await stage.recording.announce(stage.conversation)
        stage.hear(1)
        stage.recording.left(CALLER)
        stage.hear(2)
        stage.recording.joined(CALLER)
        stage.hear(3)
        stage.recording.left(CALLER)
        for _ in range(5):
            stage.hear(4)
        await stage.recording.finish()

    stage = play(script, require_consent=require_consent)
    (stopped,) = [fact for fact in stage.record.facts if isinstance(fact, RecordingStopped)]
    assert stopped.duration_ms == 3 * 20


def test_nothing_is_recorded_before_the_announcement_was_played() -> None:
    async def script(stage: Stage) -> None:
        stage.recording.joined(CALLER)
        stage.hear(1)
        assert not stage.is_recording
        await stage.recording.announce(stage.conversation)
        assert stage.conversation.said == ["announcement"]
        assert stage.is_recording

    play(script, require_consent=True)


def test_an_announcement_that_was_not_heard_to_its_end_allows_nothing() -> None:
    async def script(stage: Stage) -> None:
        stage.conversation.announcements_are_played = False
        stage.recording.joined(CALLER)
        await stage.recording.announce(stage.conversation)
        stage.hear(1)
        await stage.recording.finish()

    stage = play(script, require_consent=True)
    assert [type(fact) for fact in stage.record.facts] == [Logged]
    assert stage.store.objects == {}


def test_who_comes_later_is_told_before_anything_more_is_recorded() -> None:
    async def script(stage: Stage) -> None:
        stage.recording.joined(CALLER)
        await stage.recording.announce(stage.conversation)
        stage.hear(1)
        stage.recording.joined(SOMEBODY_ELSE)
        for _ in range(5):
            stage.hear(2)
        await stage.recording.announce(stage.conversation)
        stage.hear(3)
        await stage.recording.finish()
        assert stage.conversation.said == ["announcement", "announcement"]

    stage = play(script, require_consent=True)
    (stopped,) = [fact for fact in stage.record.facts if isinstance(fact, RecordingStopped)]
    assert stopped.duration_ms == 7 * 20


def test_who_leaves_before_the_announcements_end_holds_up_no_recording() -> None:
    async def script(stage: Stage) -> None:
        stage.recording.joined(CALLER)
        await stage.recording.announce(stage.conversation)
        stage.hear(1)
        stage.recording.joined(SOMEBODY_ELSE)
        stage.conversation.announcements_are_played = False
        await stage.recording.announce(stage.conversation)
        stage.hear(2)
        stage.recording.left(SOMEBODY_ELSE)
        stage.hear(3)
        await stage.recording.finish()

    stage = play(script, require_consent=True)
    (stopped,) = [fact for fact in stage.record.facts if isinstance(fact, RecordingStopped)]
    assert stopped.duration_ms == 3 * 20


@pytest.mark.parametrize("is_played", [True, False])
def test_a_caller_who_leaves_during_the_announcement_is_not_recorded(*, is_played: bool) -> None:
    async def script(stage: Stage) -> None:
        async def announce(text: str) -> bool:
            stage.recording.left(CALLER)
            return is_played

        stage.conversation.announce = announce  # type: ignore[method-assign]
        stage.recording.joined(CALLER)
        await stage.recording.announce(stage.conversation)

    assert play(script, require_consent=True).record.facts == []


def test_who_left_during_the_announcement_is_told_when_coming_back() -> None:
    async def script(stage: Stage) -> None:
        async def announce(text: str) -> bool:
            stage.recording.left(SOMEBODY_ELSE)
            return True

        stage.recording.joined(CALLER)
        stage.recording.joined(SOMEBODY_ELSE)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(stage.conversation, "announce", announce)
            await stage.recording.announce(stage.conversation)
        stage.recording.joined(SOMEBODY_ELSE)
        await stage.recording.announce(stage.conversation)
        assert stage.conversation.said == ["announcement"]

    play(script, require_consent=True)


def test_who_reloads_the_page_is_not_told_again() -> None:
    async def script(stage: Stage) -> None:
        stage.recording.joined(CALLER)
        await stage.recording.announce(stage.conversation)
        stage.recording.joined(CALLER)
        await stage.recording.announce(stage.conversation)
        assert stage.conversation.said == ["announcement"]

    play(script, require_consent=True)


def test_two_who_come_together_are_told_once() -> None:
    async def script(stage: Stage) -> None:
        stage.recording.joined(CALLER)
        stage.recording.joined(SOMEBODY_ELSE)
        await asyncio.gather(
            stage.recording.announce(stage.conversation),
            stage.recording.announce(stage.conversation),
        )
        assert stage.conversation.said == ["announcement"]

    play(script, require_consent=True)


def said(text: str, speaker: Literal["user", "agent"] = "user") -> TranscriptSegment:
    return TranscriptSegment(
        sequence=0, speaker=speaker, text=text, started_at_ms=0, ended_at_ms=1000
    )


REFUSAL = said("No, do not record this.")


def test_a_caller_who_refuses_is_not_recorded_and_what_was_is_deleted() -> None:
    async def script(stage: Stage) -> None:
        stage.recording.joined(CALLER)
        await stage.recording.announce(stage.conversation)
        for _ in range(PART_MS // 20 + 5):
            stage.hear(1)
        await stage.store.has_some.wait()
        assert stage.recording.is_refused_by(REFUSAL)
        stopped = stage.record.facts[-1]
        assert isinstance(stopped, RecordingStopped)
        assert stopped.refused
        stage.recording.joined(SOMEBODY_ELSE)
        await stage.recording.announce(stage.conversation)
        for _ in range(PART_MS // 20 + 5):
            stage.hear(2)
        await stage.recording.finish()
        assert stage.record.facts[-1] is stopped
        assert stage.conversation.said == ["announcement"]

    assert play(script, require_consent=True).store.objects == {}


def test_a_refusal_during_the_announcement_prevents_the_recording() -> None:
    async def script(stage: Stage) -> None:
        stage.recording.joined(CALLER)
        assert stage.recording.is_refused_by(REFUSAL)
        await stage.recording.announce(stage.conversation)
        stage.hear(1)
        await stage.recording.finish()

    stage = play(script, require_consent=True)
    assert [type(fact) for fact in stage.record.facts] == [Logged]
    assert stage.store.objects == {}


def shown(text: str, *, is_final: bool) -> LiveTranscript:
    return LiveTranscript(utterance=0, speaker="user", text=text, is_final=is_final, at_ms=0)


def test_a_refusal_of_which_no_transcript_is_kept_counts() -> None:
    async def script(stage: Stage) -> None:
        stage.recording.joined(CALLER)
        await stage.recording.announce(stage.conversation)
        assert not stage.recording.is_refused_by(shown(REFUSAL.text, is_final=False)), "may go on"
        assert stage.recording.is_refused_by(shown(REFUSAL.text, is_final=True))

    play(script, require_consent=True)


def test_a_refusal_over_the_announcement_counts_before_it_is_a_turn() -> None:
    async def script(stage: Stage) -> None:
        async def announce(text: str) -> bool:
            assert stage.recording.is_refused_by(shown(REFUSAL.text, is_final=False))
            return True

        stage.conversation.announce = announce  # type: ignore[method-assign]
        stage.recording.joined(CALLER)
        await stage.recording.announce(stage.conversation)
        stage.hear(1)
        await stage.recording.finish()

    stage = play(script, require_consent=True)
    assert [type(fact) for fact in stage.record.facts] == [Logged]
    assert stage.store.objects == {}


def test_a_refusal_is_answered_once() -> None:
    async def script(stage: Stage) -> None:
        stage.recording.joined(CALLER)
        await stage.recording.announce(stage.conversation)
        assert stage.recording.is_refused_by(REFUSAL)
        assert not stage.recording.is_refused_by(REFUSAL)

    play(script, require_consent=True)


@pytest.mark.parametrize(
    ("words", "require_consent"),
    [
        (said("Yes, of course."), True),
        (said("No, do not record this.", "agent"), True),
        (Logged(level="info", message="Do not record this."), True),
        (REFUSAL, False),
    ],
)
def test_other_words_and_calls_without_consent_go_on_being_recorded(
    words: EventBody, require_consent: bool
) -> None:
    async def script(stage: Stage) -> None:
        stage.recording.joined(CALLER)
        await stage.recording.announce(stage.conversation)
        stage.hear(1)
        assert not stage.recording.is_refused_by(words)
        await stage.recording.finish()

    assert len(play(script, require_consent=require_consent).store.objects) == 1


def test_parts_that_the_store_does_not_delete_end_no_call() -> None:
    async def script(stage: Stage) -> None:
        stage.recording.joined(CALLER)
        await stage.recording.announce(stage.conversation)
        stage.hear(1)
        stage.recording.is_refused_by(REFUSAL)
        stage.store.away = True
        await stage.recording.finish()

    play(script, require_consent=True)


def test_a_call_that_ends_unrecorded_has_no_recording() -> None:
    async def script(stage: Stage) -> None:
        stage.recording.joined(CALLER)
        await stage.recording.finish()

    assert play(script, require_consent=True).record.facts == []

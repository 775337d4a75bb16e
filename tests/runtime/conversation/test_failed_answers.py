"""The engine's own handles of speech, as its session announces them."""

from __future__ import annotations

from typing import Literal

from livekit.agents import SpeechCreatedEvent
from livekit.agents.voice import SpeechHandle

from contracts.events import Logged
from runtime.call.end_cause import CallFailure
from tests.runtime import virtual_time
from tests.runtime.conversation.test_session_observer import observed
from tests.runtime.fakes import FakeRecord

Source = Literal["say", "generate_reply"]


def after(*speeches: tuple[Source, Exception | None]) -> FakeRecord:
    """What is recorded when these speeches end one after the other."""

    async def main() -> FakeRecord:
        session, _, record = observed()
        for source, error in speeches:
            speech = SpeechHandle.create()
            event = SpeechCreatedEvent(user_initiated=False, source=source, speech_handle=speech)
            session.emit("speech_created", event)
            speech._mark_done(error)
            await speech.wait_for_playout()
        return record

    return virtual_time.run(main())


BUG = ValueError("the caller said: 42")


def test_an_answer_that_fails_is_an_error_of_the_call_without_what_was_said() -> None:
    record = after(("generate_reply", BUG))
    assert record.facts == [Logged(level="error", message="An answer failed: ValueError")]
    assert record.failures == []


def test_two_answers_that_fail_in_a_row_end_the_call_once() -> None:
    [failure] = after(*[("generate_reply", BUG)] * 3).failures
    assert type(failure) is CallFailure


def test_a_sentence_of_ours_between_two_failed_answers_is_no_answer() -> None:
    record = after(("generate_reply", BUG), ("say", None), ("generate_reply", BUG))
    assert len(record.failures) == 1


def test_an_answer_between_two_failed_ones_saves_the_call() -> None:
    record = after(("generate_reply", BUG), ("generate_reply", None), ("generate_reply", BUG))
    assert record.failures == []

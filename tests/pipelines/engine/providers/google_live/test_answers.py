"""Which request an answer belongs to."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

import pytest
from livekit.agents import llm

from pipelines.engine.providers.google_live.answer import LiveAnswer
from pipelines.engine.providers.google_live.answers import Answers


@dataclass
class Noted:
    unasked: list[llm.GenerationCreatedEvent] = field(default_factory=list)
    ended: list[str] = field(default_factory=list)
    answers: Answers = field(init=False)

    def __post_init__(self) -> None:
        self.answers = Answers(self.unasked.append, lambda answer: self.ended.append(answer.text))

    def server_says(self, text: str) -> LiveAnswer | None:
        answer = self.answers.present()
        if answer is not None:
            answer.says(text)
        return answer


@pytest.fixture
async def noted() -> Noted:
    return Noted()


async def words(created: llm.GenerationCreatedEvent) -> str:
    return "".join(
        [part async for message in created.message_stream async for part in message.text_stream]
    )


async def test_what_comes_after_a_request_answers_it(noted: Noted) -> None:
    asked = noted.answers.ask()
    noted.server_says("Until ")
    noted.server_says("six.")
    noted.answers.complete()
    created = asked.result()
    assert created.user_initiated
    assert await words(created) == "Until six."
    assert noted.ended == ["Until six."]
    assert noted.unasked == []


async def test_the_rest_of_an_interrupted_answer_is_no_part_of_the_next(noted: Noted) -> None:
    noted.answers.ask()
    noted.server_says("Once upon")
    noted.answers.drop()
    asked = noted.answers.ask()
    noted.server_says(" a time")
    noted.answers.complete()
    noted.server_says("Yes?")
    noted.answers.complete()
    assert await words(asked.result()) == "Yes?"


async def test_an_answer_that_is_not_wanted_before_it_begins_is_left_out(noted: Noted) -> None:
    first = noted.answers.ask()
    first.cancel()
    await asyncio.sleep(0)
    second = noted.answers.ask()
    assert noted.server_says("Too late.") is None
    noted.answers.complete()
    noted.server_says("In time.")
    noted.answers.complete()
    assert await words(second.result()) == "In time."


async def test_a_request_that_was_cancelled_a_moment_ago_gets_nothing(noted: Noted) -> None:
    noted.answers.ask().cancel()
    assert noted.server_says("Too late.") is None


async def test_an_answer_to_tools_may_come_before_it_is_asked_for(noted: Noted) -> None:
    noted.answers.comes_by_itself()
    assert noted.answers.needs_no_request
    noted.server_says("Booked.")
    noted.answers.complete()
    assert await words(noted.answers.ask().result()) == "Booked."
    assert not noted.answers.needs_no_request
    assert noted.unasked == []


async def test_an_answer_to_tools_is_forgotten_when_the_caller_speaks(noted: Noted) -> None:
    noted.answers.comes_by_itself()
    noted.server_says("Booked.")
    noted.answers.caller_speaks()
    noted.answers.complete()
    asked = noted.answers.ask()
    noted.server_says("Cancelled.")
    noted.answers.complete()
    assert await words(asked.result()) == "Cancelled."


async def test_of_a_tool_that_wants_no_answer_nothing_is_heard(noted: Noted) -> None:
    noted.answers.not_wanted()
    assert noted.server_says("Anything else?") is None
    noted.answers.complete()
    assert noted.server_says("Hello.") is not None


async def test_an_answer_without_a_request_is_told(noted: Noted) -> None:
    noted.server_says("By the way")
    noted.answers.complete()
    [created] = noted.unasked
    assert not created.user_initiated
    assert await words(created) == "By the way"

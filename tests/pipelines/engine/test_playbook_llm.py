from __future__ import annotations

import pytest
from livekit.agents import llm

from pipelines.engine.knowledge.lookup import PASSAGES
from pipelines.engine.playbook_llm import END_CALL_TOOL, PlaybookLLM, sentences
from tests.pipelines.engine.actions import NotedActions
from tests.pipelines.playbook.agents import FRIDAY, dental_clinic


@pytest.fixture
def actions() -> NotedActions:
    return NotedActions()


@pytest.fixture
def playbook(actions: NotedActions) -> PlaybookLLM:
    return PlaybookLLM(dental_clinic(), {}, actions, today=lambda: FRIDAY)


def _opened() -> llm.ChatContext:
    context = llm.ChatContext()
    context.add_message(role="system", content="instructions are not spoken")
    context.add_message(role="assistant", content="Hello, this is Mia. How can I help you?")
    return context


async def _hear(playbook: PlaybookLLM, context: llm.ChatContext, said: str) -> str:
    context.add_message(role="user", content=said)
    reply = await playbook.chat(chat_ctx=context).collect()
    context.add_message(role="assistant", content=reply.text)
    return reply.text


async def test_a_reply_streams_sentence_by_sentence_with_usage(playbook: PlaybookLLM) -> None:
    context = _opened()
    context.add_message(role="user", content="Hi, I would like to book an appointment.")
    async with playbook.chat(chat_ctx=context) as stream:
        chunks = [chunk async for chunk in stream]
    texts = [chunk.delta.content for chunk in chunks if chunk.delta and chunk.delta.content]
    assert texts == ["Sure. ", "Have you been to our clinic before?"]
    assert chunks[-1].usage is not None
    assert chunks[-1].usage.completion_tokens == 8
    assert (playbook.provider, playbook.model) == ("local", "playbook")


async def test_the_end_of_the_call_is_a_tool_call_after_the_words(playbook: PlaybookLLM) -> None:
    context = _opened()
    context.add_message(role="user", content="goodbye")
    reply = await playbook.chat(chat_ctx=context).collect()
    assert reply.text.endswith("Goodbye.")
    assert [(call.name, call.arguments) for call in reply.tool_calls] == [(END_CALL_TOOL, "{}")]


async def test_slots_are_reported_once_their_reply_is_heard(
    playbook: PlaybookLLM, actions: NotedActions
) -> None:
    context = _opened()
    await _hear(playbook, context, "I want to come on Tuesday")
    assert actions.slots == {}
    await _hear(playbook, context, "no")
    assert actions.slots == {"day": "2026-11-24"}


async def test_a_reply_that_was_thrown_away_reports_nothing(
    playbook: PlaybookLLM, actions: NotedActions
) -> None:
    context = _opened()
    ahead = context.copy()
    ahead.add_message(role="user", content="I want to come on Tuesday")
    await playbook.chat(chat_ctx=ahead).collect()
    await _hear(playbook, context, "I want to come on Tuesday no Wednesday")
    await _hear(playbook, context, "no")
    assert actions.slots == {"day": "2026-11-25"}


async def test_the_last_words_are_reported_at_the_end(
    playbook: PlaybookLLM, actions: NotedActions
) -> None:
    await _hear(playbook, _opened(), "I want to come on Tuesday")
    await playbook.aclose()
    assert actions.slots == {"day": "2026-11-24"}


async def test_a_wish_for_a_person_is_logged_once(
    playbook: PlaybookLLM, actions: NotedActions
) -> None:
    context = _opened()
    for said in ("let me talk to a person", "yes", "no"):
        await _hear(playbook, context, said)
    assert actions.notes == ["The caller should be called back by a person."]
    assert actions.lines == []


@pytest.mark.parametrize("text", ["One. Two? Three", "Only one.", "At 3.30 p.m. sharp! Ok"])
def test_sentences_lose_nothing(text: str) -> None:
    assert "".join(sentences(text)) == text


async def test_a_sentence_of_a_knowledge_source_is_quoted(playbook: PlaybookLLM) -> None:
    context = _opened()
    context.add_message(
        role="system",
        content="…",
        extra={PASSAGES: ["# Network\n\nThe wifi password is bluebird. Ask us for help."]},
    )
    said = await _hear(playbook, context, "What is the wifi password?")
    assert "The wifi password is bluebird." in said
    assert "Ask us for help" not in said


async def test_nothing_is_quoted_that_was_not_looked_up(playbook: PlaybookLLM) -> None:
    assert "bluebird" not in await _hear(playbook, _opened(), "What is the wifi password?")

"""Keys of the phone in both directions: the model presses them, and answers those of the caller."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import httpx2
import pytest

from contracts.agent_config import AgentConfig
from contracts.call_plan import ProviderChoice, ResolvedChannel
from pipelines.engine.shared_models import WarmModels
from pipelines.settings import ProviderSettings
from tests.pipelines.conversations import Call, conversation
from tests.pipelines.plans import LOCAL_STACK, call_plan
from tests.stand_ins.openai_wire import Answer, OpenAIWire, calls, says

PRESSED = "I have chosen the second item of the menu."


@contextlib.asynccontextmanager
async def talking(warm_models: WarmModels, digits: str) -> AsyncIterator[tuple[Call, OpenAIWire]]:
    """A model that presses ``digits`` once, and then says so."""

    def answer(request: dict[str, Any]) -> Answer:
        used = any(message["role"] == "tool" for message in request["messages"])
        return says(PRESSED) if used else calls("send_dtmf", f'{{"digits": "{digits}"}}')

    async with httpx2.AsyncClient() as http, OpenAIWire(answer_to=answer).serving() as wire:
        settings = {"api_keys": {"openai": "k"}, "base_urls": {"openai": wire.base_url}}
        models = replace(
            warm_models, settings=ProviderSettings.model_validate(settings), http_client=http
        )
        agent = AgentConfig.model_validate({"name": "Ada", "tools": [{"type": "send_dtmf"}]})
        openai = ResolvedChannel(primary=ProviderChoice(provider="openai", model="gpt-4.1-mini"))
        plan = call_plan(agent, stack=LOCAL_STACK.model_copy(update={"llm": openai}))
        async with conversation(plan, models) as call:
            yield call, wire


def results(wire: OpenAIWire) -> list[str]:
    messages = wire.requests[-1]["messages"]
    return [message["content"] for message in messages if message["role"] == "tool"]


async def test_the_model_presses_keys(warm_models: WarmModels) -> None:
    async with talking(warm_models, "2#") as (call, wire):
        await call.conversation.session.generate_reply(user_input="For sales, press 2.")
        assert await call.messages("assistant", 1) == [PRESSED]
        assert call.actions.digits == ["2#"]
        assert results(wire) == ["Pressed."]


@pytest.mark.parametrize("digits", ["", "two", "1" * 65, "1;2"])
async def test_what_is_no_key_is_not_pressed(warm_models: WarmModels, digits: str) -> None:
    async with talking(warm_models, digits) as (call, wire):
        await call.conversation.session.generate_reply(user_input="For sales, press 2.")
        await call.messages("assistant", 1)
        assert call.actions.digits == []
        assert "0-9, A-D, * and #" in results(wire)[0]


async def test_the_model_is_told_why_keys_cannot_be_pressed(warm_models: WarmModels) -> None:
    async with talking(warm_models, "2") as (call, wire):
        call.actions.no_keys_because = "Nobody in this call is on a phone."
        await call.conversation.session.generate_reply(user_input="For sales, press 2.")
        await call.messages("assistant", 1)
        assert "Nobody in this call is on a phone." in results(wire)[0]


async def test_keys_of_the_caller_are_answered_as_words_are(warm_models: WarmModels) -> None:
    async with talking(warm_models, "2") as (call, wire):
        await call.conversation.keys_pressed("4711")
        await call.messages("assistant", 1)
        asked = [each["content"] for each in wire.requests[0]["messages"] if each["role"] == "user"]
        assert asked == ["[keypad] 4711"]
        assert call.said_by("user") == ["[keypad] 4711"]

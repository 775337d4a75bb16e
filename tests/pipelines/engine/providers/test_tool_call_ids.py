from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import httpx2
import pytest
from livekit.agents import APIConnectOptions, llm

from contracts.call_plan import ProviderChoice
from pipelines.engine.providers.openai import OPENAI
from pipelines.engine.providers.spec import ModelRequest
from pipelines.engine.shared_models import WarmModels
from pipelines.settings import ProviderSettings
from tests.pipelines.engine.actions import NotedActions
from tests.pipelines.engine.agents import call_agent
from tests.pipelines.plans import call_plan
from tests.stand_ins.openai_wire import Answer, OpenAIWire, calls, says, sends

ONCE = APIConnectOptions(max_retry=0, timeout=2.0)


def streamed(*pieces: dict[str, Any]) -> Answer:
    """The tool calls of an answer, piece by piece."""
    deltas: list[dict[str, Any]] = [{"tool_calls": [piece]} for piece in pieces]
    choices = [{"index": 0, "delta": delta, "finish_reason": None} for delta in deltas]
    choices.append({"index": 0, "delta": {}, "finish_reason": "tool_calls"})
    head = {"id": "1", "object": "chat.completion.chunk", "created": 0, "model": "m"}
    events = [json.dumps({**head, "choices": [choice]}) for choice in choices]
    body = "".join(f"data: {event}\n\n" for event in [*events, "[DONE]"])
    return sends(body.encode(), "text/event-stream")


def piece(index: int, name: str | None, arguments: str, **own_id: str | None) -> dict[str, Any]:
    return {"index": index, **own_id, "function": {"name": name, "arguments": arguments}}


async def made(
    warm_models: WarmModels, wire: OpenAIWire, history: llm.ChatContext
) -> list[llm.FunctionToolCall]:
    """The tool calls of the next answer."""
    assert OPENAI.llm is not None
    async with httpx2.AsyncClient() as http_client:
        settings = ProviderSettings(api_keys={"openai": "k"}, base_urls={"openai": wire.base_url})
        models = replace(warm_models, settings=settings, http_client=http_client)
        choice = ProviderChoice(provider="openai", model="gpt-4.1-mini")
        model = OPENAI.llm(ModelRequest(choice, call_plan(), models, NotedActions()))
        tools: list[Any] = list(call_agent().tools)
        async with model.chat(chat_ctx=history, tools=tools, conn_options=ONCE) as stream:
            deltas = [chunk.delta async for chunk in stream if chunk.delta]
        await model.aclose()
    return [call for delta in deltas for call in delta.tool_calls]


async def test_a_result_answers_its_own_call_though_the_server_counts_from_one_each_time(
    warm_models: WarmModels,
) -> None:
    history = llm.ChatContext.empty()
    history.add_message(role="user", content="Is Monday free? And Tuesday?")
    answers = [calls("look_up", '{"day": "Mon"}'), calls("look_up", '{"day": "Tue"}'), says("Yes.")]
    async with OpenAIWire(answers).serving() as wire:
        for result in ("full", "free"):
            [call] = await made(warm_models, wire, history)
            history.items.append(
                llm.FunctionCall(call_id=call.call_id, name=call.name, arguments=call.arguments)
            )
            history.items.append(
                llm.FunctionCallOutput(
                    call_id=call.call_id, name=call.name, output=result, is_error=False
                )
            )
        assert await made(warm_models, wire, history) == []
    _, monday, full, tuesday, free = wire.requests[-1]["messages"]
    for asked, day, told, result in ((monday, "Mon", full, "full"), (tuesday, "Tue", free, "free")):
        [call] = asked["tool_calls"]
        assert json.loads(call["function"]["arguments"]) == {"day": day}
        assert (told["tool_call_id"], told["content"]) == (call["id"], result)


@pytest.mark.parametrize("own_id", [{"id": "call"}, {"id": ""}, {"id": None}, {}])
async def test_calls_of_one_answer_are_all_made_though_they_have_one_id_or_none(
    warm_models: WarmModels, own_id: dict[str, str | None]
) -> None:
    answer = streamed(
        piece(0, "look_up", '{"day"', **own_id),
        piece(0, None, ': "Mon"}'),
        piece(1, "look_up", '{"day"', **own_id),
        piece(1, None, ': "Tue"}'),
    )
    history = llm.ChatContext.empty()
    history.add_message(role="user", content="Is Monday free? And Tuesday?")
    async with OpenAIWire([answer]).serving() as wire:
        found = await made(warm_models, wire, history)
    assert [call.arguments for call in found] == ['{"day": "Mon"}', '{"day": "Tue"}']
    assert all(call.call_id for call in found)
    assert len({call.call_id for call in found}) == 2


async def test_an_id_that_is_free_stays_as_the_server_gave_it(warm_models: WarmModels) -> None:
    answer = streamed(piece(0, "look_up", "{}", id="from-the-server"))
    history = llm.ChatContext.empty()
    history.add_message(role="user", content="Is Monday free?")
    async with OpenAIWire([answer]).serving() as wire:
        [call] = await made(warm_models, wire, history)
    assert call.call_id == "from-the-server"

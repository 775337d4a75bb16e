"""OpenAI's language model against a stand-in that speaks its protocol."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from aiohttp import web
from livekit.agents import APIConnectOptions, APIError, llm

from contracts.call_plan import ProviderChoice
from pipelines.call_agent import CallAgent
from pipelines.models import WarmModels
from pipelines.providers.openai import OPENAI
from pipelines.providers.spec import ModelRequest, ProviderUnavailable
from pipelines.settings import ProviderSettings
from tests.pipelines.actions import NotedActions
from tests.pipelines.plans import call_plan
from tests.pipelines.stand_in import serving

ONCE = APIConnectOptions(max_retry=0, timeout=2.0)


@dataclass
class StandIn:
    deltas: list[dict[str, Any]]
    finish_reason: str = "stop"
    status: int = 200
    requests: list[dict[str, Any]] = field(default_factory=list)
    authorizations: list[str] = field(default_factory=list)

    async def chat(self, request: web.Request) -> web.StreamResponse:
        self.requests.append(await request.json())
        self.authorizations.append(request.headers["Authorization"])
        if self.status != 200:
            return web.json_response({"error": {"message": "no"}}, status=self.status)
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        ends = [None] * len(self.deltas)
        steps = [*zip(self.deltas, ends, strict=True), ({}, self.finish_reason)]
        for delta, finish_reason in steps:
            chunk = {
                "id": "1",
                "object": "chat.completion.chunk",
                "created": 0,
                "model": "m",
                "choices": [{"index": 0, "delta": delta, "finish_reason": finish_reason}],
            }
            await response.write(f"data: {json.dumps(chunk)}\n\n".encode())
        await response.write(b"data: [DONE]\n\n")
        return response


def request_for(models: WarmModels, settings: ProviderSettings) -> ModelRequest:
    return ModelRequest(
        choice=ProviderChoice(provider="openai", model="gpt-4o-mini"),
        plan=call_plan(),
        models=replace(models, settings=settings),
        actions=NotedActions(),
    )


async def answer(models: WarmModels, stand_in: StandIn) -> list[llm.ChatChunk]:
    assert OPENAI.llm is not None
    async with serving("POST", "/v1/chat/completions", stand_in.chat) as base_url:
        settings = ProviderSettings(openai_api_key="key", openai_base_url=f"{base_url}/v1")
        model = OPENAI.llm(request_for(models, settings))
        context = llm.ChatContext.empty()
        context.add_message(role="user", content="Hello")
        tools = CallAgent(call_plan(), NotedActions()).tools
        stream = model.chat(chat_ctx=context, tools=tools, conn_options=ONCE)
        try:
            return [chunk async for chunk in stream]
        finally:
            await stream.aclose()
            await model.aclose()


async def test_text_is_streamed_from_the_configured_address(warm_models: WarmModels) -> None:
    stand_in = StandIn([{"role": "assistant", "content": "Good "}, {"content": "morning."}])
    chunks = await answer(warm_models, stand_in)
    assert "".join(c.delta.content or "" for c in chunks if c.delta) == "Good morning."
    assert stand_in.requests[0]["model"] == "gpt-4o-mini"
    assert stand_in.authorizations == ["Bearer key"]


async def test_the_model_is_offered_the_end_of_the_call_and_can_choose_it(
    warm_models: WarmModels,
) -> None:
    call = {"index": 0, "id": "c", "type": "function"}
    function = {"name": "end_call", "arguments": "{}"}
    deltas = [{"role": "assistant", "tool_calls": [{**call, "function": function}]}]
    stand_in = StandIn(deltas, finish_reason="tool_calls")
    chunks = await answer(warm_models, stand_in)
    assert [t.name for c in chunks if c.delta for t in c.delta.tool_calls] == ["end_call"]
    assert stand_in.requests[0]["tools"][0]["function"]["name"] == "end_call"


async def test_a_refusal_is_an_error_and_is_not_asked_again_behind_our_back(
    warm_models: WarmModels,
) -> None:
    stand_in = StandIn([], status=500)
    with pytest.raises(APIError):
        await answer(warm_models, stand_in)
    assert len(stand_in.requests) == 1


async def test_without_a_key_it_is_unavailable(warm_models: WarmModels) -> None:
    assert OPENAI.llm is not None
    assert not OPENAI.is_available(ProviderSettings())
    with pytest.raises(ProviderUnavailable):
        OPENAI.llm(request_for(warm_models, ProviderSettings()))


@pytest.fixture(autouse=True)
def no_key_in_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)

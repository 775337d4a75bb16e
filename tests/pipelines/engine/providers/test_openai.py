"""OpenAI's language model is asked with the call's conversation and tools."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import httpx2
import openai
from aiohttp import web
from livekit.agents import APIConnectOptions, llm
from livekit.plugins import openai as plugin

from contracts.call_plan import ProviderChoice
from pipelines.engine.providers.openai import OPENAI
from pipelines.engine.providers.spec import ModelRequest
from pipelines.engine.shared_models import WarmModels
from pipelines.settings import ProviderSettings
from tests.pipelines.engine.actions import NotedActions
from tests.pipelines.engine.agents import call_agent
from tests.pipelines.plans import call_plan
from tests.pipelines.stand_in import serving
from tests.stand_ins.openai_wire import OpenAIWire


async def test_the_model_is_offered_the_end_of_the_call_and_can_choose_it(
    warm_models: WarmModels,
) -> None:
    asked: list[dict[str, Any]] = []

    async def chat(request: web.Request) -> web.StreamResponse:
        asked.append(await request.json())
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        call = {"index": 0, "id": "c", "type": "function"}
        chosen = {**call, "function": {"name": "end_call", "arguments": "{}"}}
        for delta, finish_reason in (
            ({"role": "assistant", "tool_calls": [chosen]}, None),
            ({}, "tool_calls"),
        ):
            choice = {"index": 0, "delta": delta, "finish_reason": finish_reason}
            head = {"id": "1", "object": "chat.completion.chunk", "created": 0, "model": "m"}
            await response.write(f"data: {json.dumps({**head, 'choices': [choice]})}\n\n".encode())
        await response.write(b"data: [DONE]\n\n")
        return response

    assert OPENAI.llm is not None
    async with (
        httpx2.AsyncClient() as http_client,
        serving("POST", "/v1/chat/completions", chat) as base_url,
    ):
        settings = ProviderSettings(
            api_keys={"openai": "key"}, base_urls={"openai": f"{base_url}/v1"}
        )
        models = replace(warm_models, settings=settings, http_client=http_client)
        choice = ProviderChoice(provider="openai", model="gpt-4o-mini")
        model = OPENAI.llm(ModelRequest(choice, call_plan(), models, NotedActions()))
        context = llm.ChatContext.empty()
        context.add_message(role="user", content="Goodbye")
        tools: list[Any] = list(call_agent().tools)
        once = APIConnectOptions(max_retry=0, timeout=2.0)
        stream = model.chat(chat_ctx=context, tools=tools, conn_options=once)
        chunks = [chunk async for chunk in stream]
        await stream.aclose()
        await model.aclose()
    assert [t.name for c in chunks if c.delta for t in c.delta.tool_calls] == ["end_call"]
    assert asked[0]["tools"][0]["function"]["name"] == "end_call"


async def test_a_conversation_reaches_the_vendor_as_the_sdk_itself_would_send_it(
    warm_models: WarmModels,
) -> None:
    context = llm.ChatContext.empty()
    context.add_message(role="system", content="You are Ada.")
    context.add_message(role="user", content="What is in the diary?")
    context.items.append(llm.FunctionCall(call_id="1", name="look_up", arguments='{"day": "Mon"}'))
    context.items.append(
        llm.FunctionCallOutput(call_id="1", name="look_up", output="[]", is_error=False)
    )
    context.add_message(role="user", content="Grüße!")
    tools: list[Any] = list(call_agent().tools)
    assert OPENAI.llm is not None
    async with httpx2.AsyncClient() as http_client, OpenAIWire().serving() as wire:
        settings = ProviderSettings(api_keys={"openai": "k"}, base_urls={"openai": wire.base_url})
        models = replace(warm_models, settings=settings, http_client=http_client)
        choice = ProviderChoice(provider="openai", model="gpt-4.1-mini")
        ours = OPENAI.llm(ModelRequest(choice, call_plan(), models, NotedActions()))
        client = openai.AsyncClient(api_key="k", base_url=wire.base_url, http_client=http_client)
        plain = plugin.LLM(model="gpt-4.1-mini", client=client)
        for offered in (tools, []):
            for model in (ours, plain):
                async with model.chat(chat_ctx=context, tools=offered) as stream:
                    assert (
                        "".join(
                            [chunk.delta.content or "" async for chunk in stream if chunk.delta]
                        )
                        == "Hello."
                    )
    with_tools, plainly_with_tools, without, plainly_without = wire.requests
    assert with_tools == plainly_with_tools
    assert [tool["function"]["name"] for tool in with_tools["tools"]] == ["end_call"]
    assert without == plainly_without

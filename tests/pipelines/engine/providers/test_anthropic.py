"""Anthropic's models are asked with what their API takes."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import httpx2
import pytest
from livekit.agents import llm

from contracts.call_plan import ProviderChoice
from pipelines.engine.providers.anthropic import ANTHROPIC
from pipelines.engine.providers.spec import ModelRequest
from pipelines.engine.shared_models import WarmModels
from pipelines.settings import ProviderSettings
from tests.pipelines.engine.actions import NotedActions
from tests.pipelines.plans import call_plan
from tests.stand_ins.anthropic_wire import AnthropicWire


@pytest.mark.parametrize("found", [["10:00", "11:00"], [{"id": 1, "time": "10:00"}], [], {"id": 1}])
async def test_what_a_tool_has_found_is_a_text(warm_models: WarmModels, found: Any) -> None:
    async with AnthropicWire().serving() as wire, httpx2.AsyncClient() as http_client:
        settings = ProviderSettings(
            api_keys={"anthropic": "key"}, base_urls={"anthropic": wire.base_url}
        )
        models = replace(warm_models, settings=settings, http_client=http_client)
        choice = ProviderChoice(provider="anthropic", model="claude-haiku-4-5")
        assert ANTHROPIC.llm is not None
        model = ANTHROPIC.llm(ModelRequest(choice, call_plan(), models, NotedActions()))
        async with model.chat(chat_ctx=_after_tool(json.dumps(found))) as answer:
            assert [chunk async for chunk in answer]
    (request,) = wire.requests
    (result,) = (
        block
        for message in request["messages"]
        for block in message["content"]
        if block["type"] == "tool_result"
    )
    assert json.loads(result["content"]) == found


def _after_tool(output: str) -> llm.ChatContext:
    context = llm.ChatContext.empty()
    context.add_message(role="user", content="When can I come?")
    called = llm.FunctionCall(call_id="c", name="free_times", arguments="{}")
    result = llm.FunctionCallOutput(call_id="c", name="free_times", output=output, is_error=False)
    context.items += [called, result]
    return context

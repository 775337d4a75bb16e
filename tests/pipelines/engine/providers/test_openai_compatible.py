"""The operator's own server and a tenant's are asked with or without a key."""

from __future__ import annotations

import contextlib
import json
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import httpx2
import pytest
from livekit.agents import APIConnectOptions, APIError, llm

from contracts.call_plan import CallPlan, ProviderChoice
from contracts.sealing import Sealer, derived_key
from outbound.guarded_network import GuardedNetwork
from outbound.policy import OutboundPolicy
from pipelines.engine.providers.openai_compatible import OPENAI_COMPATIBLE_SERVER
from pipelines.engine.providers.registry import available_providers
from pipelines.engine.providers.spec import ModelRequest, ProviderUnavailable
from pipelines.engine.shared_models import WarmModels
from pipelines.settings import ProviderSettings
from tests.pipelines.engine.actions import NotedActions
from tests.pipelines.plans import call_plan
from tests.stand_ins.openai_wire import Answer, OpenAIWire, says, sends
from tests.stand_ins.own_tls import OwnTls

NAME = OPENAI_COMPATIBLE_SERVER.name
ENCRYPTION_KEY = derived_key("of the test")


def plan_with(url: str, key: str) -> CallPlan:
    sealed = {NAME: Sealer([ENCRYPTION_KEY]).seal(key)}
    update = {"sealed_provider_keys": sealed, "provider_urls": {NAME: url} if url else {}}
    return call_plan().model_copy(update=update)


def of_tenant(models: WarmModels, plan: CallPlan) -> llm.LLM[Any]:
    assert OPENAI_COMPATIBLE_SERVER.llm is not None
    choice = ProviderChoice(provider=NAME, model="llama3.2", key_source="own")
    return OPENAI_COMPATIBLE_SERVER.llm(ModelRequest(choice, plan, models, NotedActions()))


async def answer_of(model: llm.LLM[Any]) -> str:
    context = llm.ChatContext.empty()
    context.add_message(role="user", content="Hello?")
    once = APIConnectOptions(max_retry=0, timeout=2.0)
    try:
        async with model.chat(chat_ctx=context, conn_options=once) as stream:
            return "".join([chunk.delta.content or "" async for chunk in stream if chunk.delta])
    finally:
        await model.aclose()


@contextlib.asynccontextmanager
async def of_operator(models: WarmModels, wire: OpenAIWire) -> AsyncIterator[llm.LLM[Any]]:
    assert OPENAI_COMPATIBLE_SERVER.llm is not None
    async with httpx2.AsyncClient() as http:
        settings = ProviderSettings(base_urls={NAME: wire.base_url})
        warm = replace(models, settings=settings, http_client=http)
        choice = ProviderChoice(provider=NAME, model="llama3.2")
        yield OPENAI_COMPATIBLE_SERVER.llm(ModelRequest(choice, call_plan(), warm, NotedActions()))


def streamed(*chunks: tuple[str | None, int | None, str | None]) -> Answer:
    """An answer by its words, the tokens written so far, and the reason to finish. A chunk of
    nothing but usage has no words and no reason."""
    head = {"id": "1", "object": "chat.completion.chunk", "created": 0, "model": "m"}
    body = ""
    for words, tokens, reason in chunks:
        choice = {"index": 0, "delta": {"content": words}, "finish_reason": reason}
        chunk: dict[str, Any] = {**head, "choices": [choice] if words or reason else []}
        if tokens is not None:
            usage = {"prompt_tokens": 10, "completion_tokens": tokens, "total_tokens": 10 + tokens}
            chunk["usage"] = usage
        body += f"data: {json.dumps(chunk)}\n\n"
    return sends(body.encode(), "text/event-stream")


@pytest.mark.parametrize(
    "answer",
    [
        streamed(("Good", 1, None), (" day.", 2, None), ("", 2, "stop")),
        streamed((None, 0, None), ("Good", None, None), (" day.", None, "stop"), (None, 2, None)),
        streamed(("Good", None, None), (" day.", None, None), (None, 2, None)),
    ],
    ids=["all along", "also before", "without a reason to finish"],
)
async def test_usage_is_counted_once_wherever_a_server_reports_it(
    warm_models: WarmModels, answer: Answer
) -> None:
    counted: list[int] = []
    async with OpenAIWire([answer]).serving() as wire, of_operator(warm_models, wire) as model:
        model.on("metrics_collected", lambda metrics: counted.append(metrics.total_tokens))
        assert await answer_of(model) == "Good day."
    assert counted == [12]


@pytest.mark.parametrize(
    "begun",
    [
        streamed(("Good", 1, None), (" day.", 2, None)),
        streamed((None, 0, None), ("Good", None, None)),
    ],
    ids=["all along", "before"],
)
async def test_usage_that_comes_early_is_no_end_of_the_answer(
    warm_models: WarmModels, begun: Answer
) -> None:
    async with OpenAIWire([begun]).serving() as wire, of_operator(warm_models, wire) as model:
        with pytest.raises(APIError):
            await answer_of(model)


@pytest.mark.parametrize(("key", "sent"), [(None, "Bearer none"), ("k", "Bearer k")])
async def test_the_model_answers_over_the_operators_address(
    warm_models: WarmModels, key: str | None, sent: str
) -> None:
    assert OPENAI_COMPATIBLE_SERVER.llm is not None
    async with httpx2.AsyncClient() as http, OpenAIWire([says("Good day.")]).serving() as wire:
        settings = ProviderSettings(
            base_urls={NAME: wire.base_url}, api_keys={NAME: key} if key else {}
        )
        models = replace(warm_models, settings=settings, http_client=http)
        choice = ProviderChoice(provider=NAME, model="llama3.2")
        model = OPENAI_COMPATIBLE_SERVER.llm(
            ModelRequest(choice, call_plan(), models, NotedActions())
        )
        said = await answer_of(model)
    assert said == "Good day."
    assert wire.requests[0]["model"] == "llama3.2"
    assert wire.headers[0]["authorization"] == sent


@pytest.mark.parametrize(("key", "sent"), [("", None), ("k-of-tenant", "Bearer k-of-tenant")])
async def test_a_tenant_s_own_server_is_asked_at_the_plan_s_address_with_its_key(
    warm_models: WarmModels, tls: OwnTls, key: str, sent: str | None
) -> None:
    async with OpenAIWire([says("Good day.")], tls=tls.server).serving() as wire:
        settings = ProviderSettings(
            base_urls={NAME: "http://127.0.0.1:1"},
            api_keys={NAME: "of-the-platform"},
            encryption_keys=(ENCRYPTION_KEY,),
        )
        models = replace(warm_models, settings=settings, tenants_network=tls.network)
        said = await answer_of(of_tenant(models, plan_with(wire.base_url, key)))
    assert said == "Good day."
    assert wire.requests[0]["model"] == "llama3.2"
    assert wire.headers[0].get("authorization") == sent


async def test_a_tenant_s_own_server_in_a_private_network_is_not_dialed(
    warm_models: WarmModels,
) -> None:
    settings = ProviderSettings(encryption_keys=(ENCRYPTION_KEY,))
    network = GuardedNetwork(OutboundPolicy())
    models = replace(warm_models, settings=settings, tenants_network=network)
    async with OpenAIWire([says("Good day.")]).serving() as wire:
        with pytest.raises(APIError):
            await answer_of(of_tenant(models, plan_with(wire.base_url, "")))
    network.close()
    assert wire.requests == []


def test_a_plan_without_the_address_is_a_plain_reason(warm_models: WarmModels) -> None:
    with pytest.raises(ProviderUnavailable, match="no address of the tenant's own server"):
        of_tenant(warm_models, plan_with("", "k"))


def test_it_is_available_once_it_has_an_address() -> None:
    assert NAME not in available_providers(ProviderSettings(api_keys={NAME: "k"}))
    assert NAME in available_providers(ProviderSettings(base_urls={NAME: "http://127.0.0.1:1"}))

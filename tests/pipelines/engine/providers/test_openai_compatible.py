"""The operator's own server is asked with or without a key."""

from __future__ import annotations

from dataclasses import replace

import httpx2
import pytest
from livekit.agents import APIConnectOptions, llm

from contracts.call_plan import ProviderChoice
from pipelines.engine.providers.openai_compatible import OPENAI_COMPATIBLE_SERVER
from pipelines.engine.providers.registry import available_providers
from pipelines.engine.providers.spec import ModelRequest
from pipelines.engine.shared_models import WarmModels
from pipelines.settings import ProviderSettings
from tests.pipelines.engine.actions import NotedActions
from tests.pipelines.plans import call_plan
from tests.stand_ins.openai_wire import OpenAIWire, says

NAME = OPENAI_COMPATIBLE_SERVER.name


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
        context = llm.ChatContext.empty()
        context.add_message(role="user", content="Hello?")
        once = APIConnectOptions(max_retry=0, timeout=2.0)
        async with model.chat(chat_ctx=context, conn_options=once) as stream:
            said = "".join([chunk.delta.content or "" async for chunk in stream if chunk.delta])
        await model.aclose()
    assert said == "Good day."
    assert wire.requests[0]["model"] == "llama3.2"
    assert wire.headers[0]["authorization"] == sent


def test_it_is_available_once_it_has_an_address() -> None:
    assert NAME not in available_providers(ProviderSettings(api_keys={NAME: "k"}))
    assert NAME in available_providers(ProviderSettings(base_urls={NAME: "http://127.0.0.1:1"}))

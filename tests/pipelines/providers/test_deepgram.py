"""Deepgram's recogniser against a stand-in that speaks its websocket protocol."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass, field, replace
from typing import Any

import aiohttp
import pytest
from aiohttp import web
from livekit import rtc
from livekit.agents import APIConnectOptions, stt

from contracts.agent_config import AgentConfig
from contracts.call_plan import ProviderChoice
from pipelines.models import WarmModels
from pipelines.providers.deepgram import DEEPGRAM
from pipelines.providers.spec import ModelRequest, ProviderUnavailable
from pipelines.settings import ProviderSettings
from tests.pipelines.actions import NotedActions
from tests.pipelines.plans import call_plan
from tests.pipelines.stand_in import serving

FRAME = rtc.AudioFrame(bytes(640), 16_000, 1, 320)


@dataclass
class StandIn:
    query: dict[str, str] = field(default_factory=dict)
    keyterms: list[str] = field(default_factory=list)
    keywords: list[str] = field(default_factory=list)
    authorization: str = ""

    async def listen(self, request: web.Request) -> web.StreamResponse:
        self.query = dict(request.query)
        self.keyterms = request.query.getall("keyterm", [])
        self.keywords = request.query.getall("keywords", [])
        self.authorization = request.headers["Authorization"]
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        async for message in socket:
            if message.type is aiohttp.WSMsgType.BINARY:
                await socket.send_str(json.dumps(_result("good morning")))
                break
        async for message in socket:
            if message.type is aiohttp.WSMsgType.TEXT and "CloseStream" in message.data:
                break
        await socket.close()
        return socket


def _result(text: str) -> dict[str, Any]:
    word = {"word": text, "start": 0.0, "end": 0.5, "confidence": 0.9}
    alternative = {"transcript": text, "confidence": 0.9, "words": [word]}
    return {
        "type": "Results",
        "is_final": True,
        "speech_final": True,
        "start": 0.0,
        "duration": 0.5,
        "metadata": {"request_id": "r"},
        "channel": {"alternatives": [alternative]},
    }


def request_for(
    models: WarmModels, settings: ProviderSettings, *, model: str = "nova-3", **advanced: Any
) -> ModelRequest:
    agent = AgentConfig.model_validate({"name": "a", "advanced": advanced})
    return ModelRequest(
        choice=ProviderChoice(provider="deepgram", model=model),
        plan=call_plan(agent, locale="de-DE"),
        models=replace(models, settings=settings),
        actions=NotedActions(),
    )


async def final_text(models: WarmModels, stand_in: StandIn, model: str) -> str:
    assert DEEPGRAM.stt is not None
    once = APIConnectOptions(max_retry=0, timeout=2.0)
    async with (
        asyncio.timeout(5),
        aiohttp.ClientSession() as http_session,
        serving("GET", "/v1/listen", stand_in.listen) as base_url,
    ):
        settings = ProviderSettings(
            deepgram_api_key="key", deepgram_base_url=f"{base_url}/v1/listen"
        )
        models = replace(models, http_session=http_session)
        recogniser = DEEPGRAM.stt(
            request_for(models, settings, model=model, stt_keywords="Hibari, molar")
        )
        async with recogniser.stream(conn_options=once) as stream:
            for _ in range(10):
                stream.push_frame(FRAME)
            async for event in stream:
                if event.type is stt.SpeechEventType.FINAL_TRANSCRIPT:
                    return event.alternatives[0].text
    pytest.fail("the stream ended without a final text")


async def test_speech_is_sent_to_the_configured_address_with_the_agent_s_options(
    warm_models: WarmModels,
) -> None:
    stand_in = StandIn()
    assert await final_text(warm_models, stand_in, "nova-3") == "good morning"
    assert stand_in.authorization == "Token key"
    assert stand_in.query["model"] == "nova-3"
    assert stand_in.query["language"] == "de-DE"
    assert stand_in.query["numerals"] == "true"
    assert stand_in.query["profanity_filter"] == "false"
    assert stand_in.keyterms == ["Hibari", "molar"]
    assert stand_in.keywords == []


async def test_earlier_models_get_weighted_keywords(warm_models: WarmModels) -> None:
    stand_in = StandIn()
    await final_text(warm_models, stand_in, "nova-2")
    assert stand_in.keyterms == []
    assert stand_in.keywords == ["Hibari:1.5", "molar:1.5"]


async def test_without_a_key_it_is_unavailable(warm_models: WarmModels) -> None:
    assert DEEPGRAM.stt is not None
    assert not DEEPGRAM.is_available(ProviderSettings())
    with pytest.raises(ProviderUnavailable):
        DEEPGRAM.stt(request_for(warm_models, ProviderSettings()))

"""What Gemini's models did is reported in full."""

from __future__ import annotations

import json
import ssl
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from google.genai import types
from livekit import rtc
from livekit.agents import APIConnectOptions, llm
from livekit.agents.metrics import LLMMetrics, STTMetrics
from livekit.agents.utils import http_context

from contracts.call_plan import ProviderChoice
from pipelines.engine.providers.google import GOOGLE
from pipelines.engine.providers.registry import import_providers
from pipelines.engine.providers.spec import ModelRequest
from pipelines.engine.shared_models import WarmModels
from pipelines.settings import ProviderSettings
from tests.certificate import self_signed
from tests.pipelines.engine.actions import NotedActions
from tests.pipelines.engine.providers.vendor import HEARD, vendor
from tests.pipelines.plans import call_plan
from tests.pipelines.stand_in import serving

ONCE = APIConnectOptions(max_retry=0, timeout=5)
FRAME = rtc.AudioFrame(bytes(640), 16_000, 1, 320)
"""20 ms."""


@pytest.fixture
async def in_a_session() -> AsyncIterator[None]:
    async with http_context.open():
        yield


def asked_at(base_url: str, models: WarmModels, model: str) -> ModelRequest:
    settings = ProviderSettings(api_keys={"google": "key"}, base_urls={"google": base_url})
    choice = ProviderChoice(provider="google", model=model)
    return ModelRequest(choice, call_plan(), replace(models, settings=settings), NotedActions())


async def test_thoughts_are_part_of_the_output(warm_models: WarmModels) -> None:
    def part(thoughts: int, words: int, **candidate: Any) -> dict[str, Any]:
        content = {"role": "model", "parts": [{"text": "Yes."}]}
        usage = {
            "promptTokenCount": 40,
            "candidatesTokenCount": words,
            "thoughtsTokenCount": thoughts,
            "totalTokenCount": 40 + words + thoughts,
        }
        return {"candidates": [{"content": content, **candidate}], "usageMetadata": usage}

    async def generate(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        for answer in (part(20, 2), part(25, 7, finishReason="STOP")):
            await response.write(f"data: {json.dumps(answer)}\n\n".encode())
        return response

    path = "/v1/models/gemini-2.5-flash:streamGenerateContent"
    measured: list[LLMMetrics] = []
    async with serving("POST", path, generate) as base_url:
        assert GOOGLE.llm is not None
        model = GOOGLE.llm(asked_at(base_url, warm_models, "gemini-2.5-flash"))
        model.on("metrics_collected", measured.append)
        context = llm.ChatContext.empty()
        context.add_message(role="user", content="Are you sure?")
        async with model.chat(chat_ctx=context, conn_options=ONCE) as stream:
            async for _ in stream:
                pass
        await model.aclose()
    [metrics] = measured
    assert (metrics.prompt_tokens, metrics.completion_tokens) == (40, 32)


@pytest.mark.usefixtures("in_a_session")
async def test_each_second_that_is_heard_is_reported(
    warm_models: WarmModels, tmp_path: Path
) -> None:
    served, trusted = self_signed(tmp_path)
    measured: list[STTMetrics] = []
    async with vendor(tls=served) as server:
        assert GOOGLE.stt is not None
        trusting = replace(warm_models, tls=ssl.create_default_context(cafile=trusted))
        request = asked_at(f"{server.base_url}/google", trusting, "gemini-3.5-transcribe-live")
        model = GOOGLE.stt(request)
        model.on("metrics_collected", measured.append)
        async with model.stream(conn_options=ONCE) as stream:
            for _ in range(149):
                stream.push_frame(FRAME)
            async for event in stream:
                assert event.alternatives[0].text == HEARD
                break
        await model.aclose()
    assert [metrics.audio_duration for metrics in measured] == [1, 1]


async def test_to_build_a_model_reads_no_certificates(
    warm_models: WarmModels, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It would hold up the audio of all calls for a tenth of a second."""
    await import_providers([GOOGLE])
    read: list[str] = []
    monkeypatch.setattr(ssl.SSLContext, "load_verify_locations", lambda *_, **__: read.append("a"))
    monkeypatch.setattr(ssl.SSLContext, "load_default_certs", lambda *_, **__: read.append("b"))
    for build in (GOOGLE.llm, GOOGLE.stt, GOOGLE.tts, GOOGLE.realtime):
        assert build is not None
        model = build(asked_at("https://127.0.0.1:1", warm_models, "gemini"))
        await model.aclose()
    assert read == []


async def test_what_calls_use_of_the_sdk_is_complete_before_they_use_it() -> None:
    """Pydantic would build it on the event loop: a tenth of a second for the first answer."""
    await import_providers([GOOGLE])
    used = (
        *(types.GenerateContentConfig, types.GenerateContentResponse, types.Candidate),
        *(types.LiveConnectConfig, types.LiveConnectParameters, types.LiveServerMessage),
        *(types.LiveServerContent, types.Tool, types.Content, types.Part),
    )
    assert [each for each in used if not each.__pydantic_complete__] == []

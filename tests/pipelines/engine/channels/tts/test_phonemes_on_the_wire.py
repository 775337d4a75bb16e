"""What voices are given for a word with phonemes, through the engine's own plugins."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterable, AsyncIterator
from dataclasses import dataclass, field, replace
from types import SimpleNamespace
from typing import Any

import aiohttp
import httpx2
import numpy as np
import pytest
from livekit.agents import Agent
from livekit.agents.utils import http_context

from contracts.agent_config import AgentConfig
from contracts.call_plan import ProviderChoice, ResolvedChannel, ResolvedStack
from contracts.tool_bindings import Handoff
from pipelines.engine.agent_parts import agent_parts
from pipelines.engine.channels.circuit_breaker import CircuitBreakers
from pipelines.engine.shared_models import WarmModels
from pipelines.settings import VENDOR_BASE_URLS, ProviderSettings
from tests.pipelines.engine.actions import NotedActions
from tests.pipelines.engine.providers.vendor import Vendor, vendor
from tests.pipelines.plans import call_plan

AGENT = AgentConfig.model_validate(
    {
        "name": "Ada",
        "advanced": {
            "pronunciations": [
                {"word": "SQL", "say_as": "sequel"},
                {"word": "Nguyen", "say_as": "win", "ipa": "wɪn"},
            ]
        },
    }
)
TEXT = ("Ask Ngu", "yen about S", "QL to", "day.")
PLAIN = "Ask win about sequel today."
TAGGED = 'Ask <phoneme alphabet="ipa" ph="wɪn">win</phoneme> about sequel today.'


@dataclass
class NotedVoice:
    """In place of the local voice."""

    sample_rate: int = 24_000
    texts: list[str] = field(default_factory=list)

    async def speak(self, text: str, *, locale: str) -> AsyncIterator[bytes]:
        self.texts.append(text)
        yield np.full(24_000, 3_000, np.int16).tobytes()


async def no_hand_over(_: Handoff) -> Agent:
    raise AssertionError("no other agent takes over")


@pytest.fixture
async def calling(warm_models: WarmModels) -> AsyncIterator[WarmModels]:
    """The connections of this test's own event loop."""
    async with contextlib.AsyncExitStack() as stack:
        await stack.enter_async_context(http_context.open())
        yield replace(
            warm_models,
            http_session=await stack.enter_async_context(aiohttp.ClientSession()),
            http_client=await stack.enter_async_context(httpx2.AsyncClient()),
        )


async def said_to(
    voice: ProviderChoice, models: WarmModels, server: Vendor, locale: str
) -> NotedVoice:
    """Let the voice of a call say ``TEXT``. Returns our own voice, which goes on."""
    local = NotedVoice()
    voices = SimpleNamespace(moonshine=None, hibari=local, espeak=local)
    settings = ProviderSettings(
        api_keys=dict.fromkeys(VENDOR_BASE_URLS, "key"),
        base_urls={name: f"{server.base_url}/{name}" for name in VENDOR_BASE_URLS},
    )
    stack = ResolvedStack(
        stt=ResolvedChannel(primary=ProviderChoice(provider="deepgram", model="nova-3")),
        llm=ResolvedChannel(primary=ProviderChoice(provider="openai", model="gpt-4.1-mini")),
        tts=ResolvedChannel(primary=voice),
    )
    plan = call_plan(AGENT, stack=stack, locale=locale)
    breakers = CircuitBreakers(lambda: 0.0)
    calling: Any = replace(models, settings=settings, local=voices, breakers=breakers)
    parts = agent_parts(plan, calling, NotedActions(), no_hand_over, lambda: None)

    async def written() -> AsyncIterator[str]:
        for piece in TEXT:
            yield piece

    pieces: AsyncIterable[str] = written()
    for transform in parts.transforms:
        pieces = transform(pieces)
    async with parts.tts.stream() as stream:
        async for piece in pieces:
            stream.push_text(piece)
        stream.end_input()
        async for _ in stream:
            pass
    await parts.aclose()
    return local


@pytest.mark.parametrize(
    ("provider", "model", "parameter", "given"),
    [
        ("elevenlabs", "eleven_flash_v2", "text", TAGGED),
        ("elevenlabs", "eleven_turbo_v2", "text", TAGGED),
        ("elevenlabs", "eleven_monolingual_v1", "text", TAGGED),
        ("elevenlabs", "eleven_flash_v2_5", "text", PLAIN),
        ("cartesia", "sonic-3", "transcript", "Ask <<w|ɪ|n>> about sequel today."),
        ("cartesia", "sonic-2", "transcript", PLAIN),
        ("openai", "gpt-4o-mini-tts", "input", PLAIN),
    ],
)
async def test_a_voice_that_takes_phonemes_gets_them(
    calling: WarmModels, provider: str, model: str, parameter: str, given: str
) -> None:
    async with vendor() as server:
        choice = ProviderChoice(provider=provider, model=model, voice="any")
        local = await said_to(choice, calling, server, "en-US")
    asked = server.asked[0].parameters
    assert asked[parameter].strip() == given
    if provider == "elevenlabs":
        assert asked["enable_ssml_parsing"] == ("true" if given == TAGGED else "false")
    # What the vendor sends is too quiet to be speech.
    assert local.texts == ["Ask [win](/wˈɪn/) about sequel today."]


@pytest.mark.parametrize(
    ("provider", "model", "parameter"),
    [("elevenlabs", "eleven_flash_v2", "text"), ("cartesia", "sonic-3", "transcript")],
)
async def test_phonemes_are_for_voices_of_english(
    calling: WarmModels, provider: str, model: str, parameter: str
) -> None:
    async with vendor() as server:
        choice = ProviderChoice(provider=provider, model=model, voice="any")
        local = await said_to(choice, calling, server, "de-DE")
    assert server.asked[0].parameters[parameter].strip() == PLAIN
    assert local.texts == [PLAIN]

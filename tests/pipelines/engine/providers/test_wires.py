"""Every provider's channels, through the engine's own plugins, against a stand-in of the vendor."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, get_args

import aiohttp
import pytest
from cryptography.fernet import Fernet
from livekit import rtc
from livekit.agents import APIConnectOptions, APIError, llm, stt

from contracts.agent_config import AgentConfig
from contracts.call_plan import Channel, KeySource, ProviderChoice
from contracts.sealing import Sealer
from pipelines.engine.providers import google
from pipelines.engine.providers.registry import provider_named
from pipelines.engine.providers.spec import ModelRequest, ProviderUnavailable
from pipelines.engine.shared_models import WarmModels
from pipelines.settings import VENDOR_BASE_URLS, ProviderSettings
from pipelines.stack.worker_capabilities import RUNNABLE_CHANNELS
from tests.pipelines.engine.actions import NotedActions
from tests.pipelines.engine.providers.conftest import TlsFor
from tests.pipelines.engine.providers.vendor import AUDIO, HEARD, SAID, Vendor, vendor
from tests.pipelines.engine.providers.wires import KEYWORDS, WIRES, Wire
from tests.pipelines.plans import call_plan

ENCRYPTION_KEY = Fernet.generate_key().decode()
FRAME = rtc.AudioFrame(bytes(640), 16_000, 1, 320)


FAILURES = (APIError, aiohttp.ClientError, TimeoutError)
"""OpenAI's realtime plugin lets the transport's own errors through."""
every_wire = pytest.mark.parametrize("wire", WIRES, ids=str)


def test_every_channel_that_is_promised_has_its_wire_tested() -> None:
    tested = {(wire.provider, wire.channel) for wire in WIRES}
    promised = {
        (provider, channel)
        for provider, channels in RUNNABLE_CHANNELS.items()
        for channel in channels
        # They have no vendor.
        if provider not in ("local", "custom", "openai_compatible")
    }
    assert tested == promised


@every_wire
async def test_the_tenant_s_own_key_the_model_and_the_language_reach_the_vendor(
    calling: WarmModels, tls_for: TlsFor, wire: Wire
) -> None:
    async with vendor(tls=tls_for(wire)) as server:
        assert await used(wire, calling, server, key_source="own") in (HEARD, SAID, AUDIO)
    asked = server.asked[-1]
    assert asked.path == f"/{wire.provider}{wire.path}"
    name, value = wire.header
    assert asked.headers[name] == value.format(key="own-key-0001")
    assert {key: asked.parameters.get(key) for key in wire.parameters} == wire.parameters
    assert {key: asked.repeated.get(key) for key in wire.repeated} == wire.repeated
    assert "platform-key" not in repr(server.asked)


@every_wire
async def test_without_an_own_key_the_platform_s_is_used(
    calling: WarmModels, tls_for: TlsFor, wire: Wire
) -> None:
    async with vendor(tls=tls_for(wire)) as server:
        await used(wire, calling, server, key_source="platform")
    name, value = wire.header
    assert server.asked[-1].headers[name] == value.format(key="platform-key")


@every_wire
async def test_a_refusal_is_an_error_and_is_not_asked_again_behind_our_back(
    calling: WarmModels, tls_for: TlsFor, wire: Wire, caplog: pytest.LogCaptureFixture
) -> None:
    async with vendor("refuses", tls_for(wire)) as server:
        with pytest.raises(FAILURES) as refused:
            await used(wire, calling, server, key_source="own")
    assert len(server.asked) == 1
    assert "own-key-0001" not in str(refused.value)
    assert "own-key-0001" not in caplog.text


@pytest.mark.parametrize("wire", [wire for wire in WIRES if wire.gives_up], ids=str)
async def test_a_vendor_that_never_answers_is_given_up(
    calling: WarmModels, tls_for: TlsFor, wire: Wire, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(google, "_TIMEOUT_MS", 300)
    async with vendor("hangs", tls_for(wire)) as server, asyncio.timeout(5):
        with pytest.raises(FAILURES):
            await used(wire, calling, server, key_source="own", timeout_seconds=0.3)


@every_wire
async def test_no_key_no_model(calling: WarmModels, wire: Wire) -> None:
    keyless = replace(calling, settings=ProviderSettings())
    assert not provider_named(wire.provider).is_available(keyless.settings)
    with pytest.raises(ProviderUnavailable, match=f"{wire.provider} has no key"):
        built(wire, keyless, key_source="platform")


@pytest.mark.parametrize(
    ("sealed", "encryption_keys", "reason"),
    [
        ({}, (ENCRYPTION_KEY,), "has no key of the tenant for openai"),
        ({"openai": "gAAAA"}, (ENCRYPTION_KEY,), "cannot be decrypted with this worker's"),
        ({"openai": "gAAAA"}, (), "this worker has no encryption keys"),
    ],
)
def test_an_own_key_that_cannot_be_opened_is_a_plain_reason(
    calling: WarmModels, sealed: dict[str, str], encryption_keys: tuple[str, ...], reason: str
) -> None:
    settings = ProviderSettings(api_keys={"openai": "k"}, encryption_keys=encryption_keys)
    plan = call_plan().model_copy(update={"sealed_provider_keys": sealed})
    choice = ProviderChoice(provider="openai", model="gpt-4.1-mini", key_source="own")
    request = ModelRequest(choice, plan, replace(calling, settings=settings), NotedActions())
    with pytest.raises(ProviderUnavailable, match=reason):
        request.api_key()


def built(wire: Wire, models: WarmModels, *, key_source: KeySource) -> Any:
    agent = AgentConfig.model_validate(
        {"name": "a", "advanced": {"stt_keywords": ", ".join(KEYWORDS)}}
    )
    sealed = {wire.provider: Sealer([ENCRYPTION_KEY]).seal("own-key-0001")}
    plan = call_plan(agent, locale="de-DE").model_copy(update={"sealed_provider_keys": sealed})
    choice = ProviderChoice(
        provider=wire.provider, model=wire.model, voice=wire.voice, key_source=key_source
    )
    factory = getattr(provider_named(wire.provider), wire.channel)
    return factory(ModelRequest(choice, plan, models, NotedActions()))


async def used(
    wire: Wire,
    models: WarmModels,
    server: Vendor,
    *,
    key_source: KeySource,
    timeout_seconds: float = 5.0,
) -> str | bytes:
    """One utterance heard, one question answered or one sentence spoken; then everything closed."""
    settings = ProviderSettings(
        api_keys=dict.fromkeys(VENDOR_BASE_URLS, "platform-key"),
        base_urls={name: f"{server.base_url}/{name}" for name in VENDOR_BASE_URLS},
        encryption_keys=(ENCRYPTION_KEY,),
    )
    trusting = replace(models, settings=settings, tls=ssl.create_default_context())
    model = built(wire, trusting, key_source=key_source)
    options = APIConnectOptions(max_retry=0, timeout=timeout_seconds)
    try:
        async with asyncio.timeout(10):
            said: str | bytes = await _USES[wire.channel](model, options)
            return said
    finally:
        await model.aclose()


async def hear(recogniser: stt.STT[Any], options: APIConnectOptions) -> str:
    if not recogniser.capabilities.streaming:
        event = await recogniser.recognize([FRAME] * 10, conn_options=options)
        return event.alternatives[0].text
    async with recogniser.stream(conn_options=options) as stream:
        for _ in range(20):
            stream.push_frame(FRAME)
        async for event in stream:
            if event.type is stt.SpeechEventType.FINAL_TRANSCRIPT:
                return event.alternatives[0].text
    pytest.fail("the stream ended without a final text")


async def think(model: llm.LLM[Any], options: APIConnectOptions) -> str:
    context = llm.ChatContext.empty()
    context.add_message(role="user", content="Hello")
    stream = model.chat(chat_ctx=context, conn_options=options)
    try:
        return "".join([c.delta.content or "" async for c in stream if c.delta])
    finally:
        await stream.aclose()


async def speak(voice: Any, options: APIConnectOptions) -> bytes:
    if not voice.capabilities.streaming:
        frames = [audio.frame async for audio in voice.synthesize(SAID, conn_options=options)]
    else:
        async with voice.stream(conn_options=options) as stream:
            stream.push_text(SAID)
            stream.end_input()
            frames = [audio.frame async for audio in stream]
    return b"".join(bytes(frame.data) for frame in frames).rstrip(b"\0") + b"\0"


_USES: Mapping[str, Any] = {"stt": hear, "llm": think, "tts": speak}
assert set(_USES) == set(get_args(Channel))

"""Every provider's channels, through the engine's own plugins, against a stand-in of the vendor."""

from __future__ import annotations

import asyncio
import contextlib
import ssl
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, get_args

import aiohttp
import httpx2
import pytest
from cryptography.fernet import Fernet
from livekit import rtc
from livekit.agents import APIConnectOptions, APIError, llm, stt
from livekit.agents.utils import http_context

from contracts.agent_config import AgentConfig
from contracts.call_plan import Channel, KeySource, ProviderChoice
from contracts.sealing import Sealer
from pipelines.engine.providers import google
from pipelines.engine.providers.registry import provider_named
from pipelines.engine.providers.spec import ModelRequest, ProviderUnavailable
from pipelines.engine.shared_models import WarmModels
from pipelines.settings import VENDOR_BASE_URLS, ProviderSettings
from pipelines.stack.worker_capabilities import RUNNABLE_CHANNELS
from tests.certificate import self_signed
from tests.pipelines.engine.actions import NotedActions
from tests.pipelines.engine.providers.vendor import AUDIO, HEARD, SAID, Vendor, vendor
from tests.pipelines.plans import call_plan

ENCRYPTION_KEY = Fernet.generate_key().decode()
FRAME = rtc.AudioFrame(bytes(640), 16_000, 1, 320)


@dataclass(frozen=True)
class Wire:
    """How one model is asked in German: where, with which header, with which parameters."""

    provider: str
    channel: Channel
    model: str
    path: str
    header: tuple[str, str]
    parameters: Mapping[str, Any]
    voice: str | None = None
    repeated: Mapping[str, list[str]] = field(default_factory=dict)
    gives_up: bool = True
    """Whether a vendor that never answers is left within the engine's own timeout."""

    over_tls: bool = False

    def __str__(self) -> str:
        return f"{self.provider}-{self.channel}-{self.model}"


FAILURES = (APIError, aiohttp.ClientError, TimeoutError)
"""OpenAI's realtime plugin lets the transport's own errors through."""
BEARER = ("Authorization", "Bearer {key}")
TOKEN = ("Authorization", "Token {key}")
GOOGLE = ("x-goog-api-key", "{key}")
ELEVENLABS = ("xi-api-key", "{key}")
CARTESIA = ("X-API-Key", "{key}")
KEYWORDS = ["Hibari", "molar"]

WIRES = (
    Wire("openai", "llm", "gpt-4.1-mini", "/chat/completions", BEARER, {"model": "gpt-4.1-mini"}),
    Wire("openai", "llm", "gpt-6-luna", "/chat/completions", BEARER, {"reasoning_effort": "none"}),
    Wire(
        "openai",
        "stt",
        "gpt-4o-mini-transcribe",
        "/realtime",
        BEARER,
        {"model": "gpt-4o-mini-transcribe", "language": "de", "prompt": "Hibari, molar"},
    ),
    Wire(
        "openai",
        "stt",
        "whisper-1",
        "/audio/transcriptions",
        BEARER,
        {"model": "whisper-1", "language": "de", "prompt": "Hibari, molar"},
        gives_up=False,
    ),
    Wire(
        "openai",
        "tts",
        "gpt-4o-mini-tts",
        "/audio/speech",
        BEARER,
        {"model": "gpt-4o-mini-tts", "voice": "nova", "response_format": "pcm"},
        voice="nova",
        gives_up=False,
    ),
    Wire(
        "google",
        "llm",
        "gemini-2.5-flash",
        "/v1/models/gemini-2.5-flash:streamGenerateContent",
        GOOGLE,
        {},
    ),
    Wire(
        "google",
        "stt",
        "gemini-3.5-transcribe-live",
        "/ws/google.ai.generativelanguage.v1.GenerativeService.BidiGenerateContent",
        GOOGLE,
        {
            "model": "models/gemini-3.5-transcribe-live",
            "inputAudioTranscription": {
                "language_codes": ["de-DE"],
                "custom_vocabulary": KEYWORDS,
            },
        },
        over_tls=True,
        gives_up=False,
    ),
    Wire(
        "google",
        "tts",
        "gemini-2.5-flash-preview-tts",
        "/v1/models/gemini-2.5-flash-preview-tts:streamGenerateContent",
        GOOGLE,
        {},
        voice="Kore",
    ),
    Wire(
        "anthropic",
        "llm",
        "claude-sonnet-4-6",
        "/v1/messages",
        ("x-api-key", "{key}"),
        {"model": "claude-sonnet-4-6", "stream": True},
    ),
    Wire(
        "deepgram",
        "stt",
        "nova-3",
        "/listen",
        TOKEN,
        {"model": "nova-3", "language": "de", "numerals": "true", "profanity_filter": "false"},
        repeated={"keyterm": KEYWORDS},
    ),
    Wire(
        "deepgram",
        "stt",
        "nova-2",
        "/listen",
        TOKEN,
        {"model": "nova-2"},
        repeated={"keywords": ["Hibari:1.5", "molar:1.5"]},
    ),
    Wire(
        "deepgram",
        "tts",
        "aura-2",
        "/speak",
        TOKEN,
        {"model": "aura-2-thalia-en", "mip_opt_out": "true"},
        voice="aura-2-thalia-en",
    ),
    Wire(
        "elevenlabs",
        "stt",
        "scribe_v2_realtime",
        "/speech-to-text/realtime",
        ELEVENLABS,
        {"model_id": "scribe_v2_realtime", "language_code": "de", "commit_strategy": "vad"},
        repeated={"keyterms": KEYWORDS},
    ),
    Wire(
        "elevenlabs",
        "stt",
        "scribe_v2",
        "/speech-to-text",
        ELEVENLABS,
        {"model_id": "scribe_v2", "language_code": "de", "tag_audio_events": "false"},
        gives_up=False,
    ),
    Wire(
        "elevenlabs",
        "tts",
        "eleven_flash_v2_5",
        "/text-to-speech/rachel/multi-stream-input",
        ELEVENLABS,
        {"model_id": "eleven_flash_v2_5", "language_code": "de", "output_format": "pcm_24000"},
        voice="rachel",
    ),
    Wire(
        "cartesia",
        "stt",
        "ink-2",
        "/stt/turns/websocket",
        CARTESIA,
        {"model": "ink-2"},
        repeated={"keyterm": KEYWORDS},
    ),
    Wire(
        "cartesia",
        "stt",
        "ink-whisper",
        "/stt/websocket",
        CARTESIA,
        {"model": "ink-whisper", "language": "de"},
    ),
    Wire(
        "cartesia",
        "tts",
        "sonic-3",
        "/tts/websocket",
        CARTESIA,
        {"model_id": "sonic-3", "language": "de", "voice": {"mode": "id", "id": "katie"}},
        voice="katie",
    ),
)
TlsFor = Callable[[Wire], ssl.SSLContext | None]
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


@pytest.fixture
def tls_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> TlsFor:
    def context(wire: Wire) -> ssl.SSLContext | None:
        if not wire.over_tls:
            return None
        served, trusted = self_signed(tmp_path)
        monkeypatch.setenv("SSL_CERT_FILE", str(trusted))
        return served

    return context


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


@pytest.fixture(autouse=True)
def no_keys_in_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI", "GOOGLE", "ANTHROPIC", "DEEPGRAM", "ELEVEN", "CARTESIA"):
        monkeypatch.delenv(f"{name}_API_KEY", raising=False)

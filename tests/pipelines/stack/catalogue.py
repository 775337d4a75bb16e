"""A small catalogue with one of everything that resolution tells apart."""

from __future__ import annotations

from contracts.agent_config import AgentConfig
from contracts.call_plan import Channel, ResolvedStack
from pipelines.stack import (
    AvailableKeys,
    Capabilities,
    ModelEntry,
    ModelName,
    SkuEntry,
    StackCatalogue,
    StackChoice,
    StackProblem,
    VoiceEntry,
    resolve_stack,
)

STT: frozenset[Channel] = frozenset({"stt"})
LLM: frozenset[Channel] = frozenset({"llm"})
TTS: frozenset[Channel] = frozenset({"tts"})
EVERY: frozenset[Channel] = frozenset({"stt", "llm", "tts"})

CATALOGUE = StackCatalogue(
    models=(
        ModelEntry("local", "moonshine-tiny-en", STT, ("en",), rank=50),
        ModelEntry("deepgram", "nova-3", STT, ("*",), rank=10),
        ModelEntry("deepgram", "nova-2", STT, ("*",), rank=20),
        ModelEntry("google", "chirp", STT, ("*",), rank=30),
        ModelEntry("local", "playbook", LLM, ("*",), rank=50, supports_tools=False),
        ModelEntry("openai", "gpt-4o-mini", LLM, ("*",), rank=10),
        ModelEntry("openai", "gpt-4o", LLM, ("*",), rank=20),
        ModelEntry("openai", "gpt-6-astra", LLM, ("*",), rank=60, required_tier="enterprise"),
        ModelEntry("anthropic", "claude", LLM, ("*",), rank=30),
        ModelEntry("anthropic", "claude-own", LLM, ("*",), rank=70, byok_required=True),
        ModelEntry("openai", "gpt-realtime", EVERY, ("en", "de"), rank=80, is_realtime=True),
        ModelEntry("google", "gemini-live", EVERY, ("en",), rank=81, is_realtime=True),
        ModelEntry("local", "hibari-en", TTS, ("en",), rank=50),
        ModelEntry("local", "espeak", TTS, ("*",), rank=60),
        ModelEntry("google", "gemini-tts", TTS, ("en", "de", "hi"), rank=20),
        ModelEntry("deepgram", "aura-2", TTS, ("en", "es"), rank=30),
    ),
    voices=(
        VoiceEntry("hibari", "local", ("hibari-en",), ("en",), gender="female"),
        VoiceEntry("robot", "local", ("espeak",), rank=20),
        VoiceEntry("Puck", "google", ("gemini-tts", "gemini-live"), rank=10, gender="male"),
        VoiceEntry("Aoede", "google", ("gemini-tts", "gemini-live"), rank=20, gender="female"),
        VoiceEntry("thalia", "deepgram", ("aura-2",), ("en-US", "en"), 10, gender="female"),
        VoiceEntry("draco", "deepgram", ("aura-2",), ("en-GB", "en"), 20, gender="male"),
        VoiceEntry("pandora", "deepgram", ("aura-2",), ("en-GB", "en"), 30, gender="female"),
        VoiceEntry("celeste", "deepgram", ("aura-2",), ("es",), 40, gender="female"),
        VoiceEntry("marin", "openai", ("gpt-realtime",), gender="female"),
    ),
    skus=(
        SkuEntry(
            "clear",
            stt=ModelName("deepgram", "nova-3"),
            llm=ModelName("openai", "gpt-4o"),
            tts=ModelName("deepgram", "aura-2"),
            voice="draco",
            languages=("en-US", "en-GB"),
        ),
        SkuEntry(
            "offline",
            stt=ModelName("local", "moonshine-tiny-en"),
            llm=ModelName("local", "playbook"),
            tts=ModelName("local", "hibari-en"),
            voice="hibari",
            languages=("en-US",),
        ),
        SkuEntry(
            "gone",
            stt=ModelName("local", "moonshine-tiny-en"),
            llm=ModelName("local", "playbook"),
            tts=ModelName("local", "hibari-en"),
            voice="hibari",
            languages=("en-US",),
            is_active=False,
        ),
    ),
)
PIPELINE_ONLY = StackCatalogue(
    CATALOGUE.models,
    CATALOGUE.voices,
    CATALOGUE.skus,
    Capabilities(
        {
            "local": EVERY,
            "openai": EVERY,
            "google": frozenset({"llm", "tts"}),
            "anthropic": LLM,
            "deepgram": frozenset({"stt", "tts"}),
        }
    ),
)
"""What a build without realtime models, Google's speech-to-text and custom endpoints can run."""

OFFLINE = AvailableKeys(frozenset({"local"}))
EVERY_KEY = AvailableKeys(frozenset({"local", "openai", "google", "anthropic", "deepgram"}))
PLATFORM = AvailableKeys(frozenset({"local", "openai", "deepgram"}))


def agent(**fields: object) -> AgentConfig:
    """An agent with a voice that every catalogue here has, so that it causes no warning."""
    return AgentConfig.model_validate({"name": "a", "voice": "hibari"} | fields)


def choice(
    agent: AgentConfig,
    keys: AvailableKeys = PLATFORM,
    locale: str = "en-US",
    catalogue: StackCatalogue = CATALOGUE,
) -> StackChoice:
    found = resolve_stack(agent, catalogue, keys, locale)
    assert isinstance(found, StackChoice), found
    return found


def resolved(
    agent: AgentConfig,
    keys: AvailableKeys = PLATFORM,
    locale: str = "en-US",
    catalogue: StackCatalogue = CATALOGUE,
) -> ResolvedStack:
    return choice(agent, keys, locale, catalogue).stack


def problem(
    agent: AgentConfig,
    keys: AvailableKeys = PLATFORM,
    locale: str = "en-US",
    catalogue: StackCatalogue = CATALOGUE,
) -> StackProblem:
    found = resolve_stack(agent, catalogue, keys, locale)
    assert isinstance(found, StackProblem), found
    return found

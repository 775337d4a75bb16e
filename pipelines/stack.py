"""Which provider, model and voice serve each channel of an agent in one locale.

An explicit choice of the agent is kept or refused, never replaced. What the agent leaves open goes
to the best-ranked entry of the catalogue that is usable now and speaks the locale.
"""

from __future__ import annotations

from dataclasses import dataclass

from contracts.agent_config import AgentConfig
from contracts.call_plan import Channel, ProviderChoice, ResolvedChannel, ResolvedStack
from pipelines.language import ANY_LANGUAGE, covers

_CHANNEL_NAMES: dict[Channel, str] = {
    "stt": "speech-to-text",
    "llm": "language",
    "tts": "text-to-speech",
}


@dataclass(frozen=True)
class ModelEntry:
    """One model of the catalogue. The lowest ``rank`` is preferred."""

    provider: str
    model: str
    channels: frozenset[Channel]
    languages: tuple[str, ...] = (ANY_LANGUAGE,)
    rank: int = 100


@dataclass(frozen=True)
class VoiceEntry:
    """One voice of the catalogue and the tts models of ``provider`` that can speak with it."""

    voice_id: str
    provider: str
    models: tuple[str, ...]
    languages: tuple[str, ...] = (ANY_LANGUAGE,)
    rank: int = 100


@dataclass(frozen=True)
class StackCatalogue:
    models: tuple[ModelEntry, ...]
    voices: tuple[VoiceEntry, ...] = ()


@dataclass(frozen=True)
class AvailableKeys:
    """Which providers one tenant can use now, and with whose key."""

    platform: frozenset[str]
    """Providers with a key of the installation's, and those that need none, such as ``local``."""
    own: frozenset[str] = frozenset()
    """Providers for which the tenant has brought its own key (BYOK). These win."""
    tier: str = "free"

    @property
    def providers(self) -> frozenset[str]:
        return self.platform | self.own


@dataclass(frozen=True)
class StackChoice:
    """``warnings`` are sentences about what differs from what the agent asks for."""

    stack: ResolvedStack
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True)
class StackProblem:
    """Why no stack can serve the agent; ``reason`` is a sentence for the agent's owner."""

    channel: Channel
    reason: str


@dataclass(frozen=True)
class _Wish:
    provider: str | None
    model: str | None

    @property
    def is_open(self) -> bool:
        return self.provider is None and self.model is None

    def asks_for(self, entry: ModelEntry) -> bool:
        return self.provider in (None, entry.provider) and self.model in (None, entry.model)

    def __str__(self) -> str:
        return "/".join(part for part in (self.provider, self.model) if part)


def resolve_stack(
    agent: AgentConfig, catalogue: StackCatalogue, keys: AvailableKeys, locale: str
) -> StackChoice | StackProblem:
    """Choose stt, llm and tts for ``agent`` in ``locale``.

    Args:
        keys: what the agent's tenant can use now.
        locale: BCP-47 tag, one of the agent's languages.

    A fallback that cannot serve the locale is left out: it is a spare, not a condition.
    """
    available = keys.providers
    channels: dict[Channel, ResolvedChannel] = {}
    for channel, wish, fallback_wish in _wishes(agent):
        primary = _choose(agent, catalogue, available, locale, channel, wish)
        if isinstance(primary, StackProblem):
            return primary
        fallback = None
        if not fallback_wish.is_open:
            choice = _choose(agent, catalogue, available, locale, channel, fallback_wish)
            if isinstance(choice, ProviderChoice) and choice != primary:
                fallback = choice
        channels[channel] = ResolvedChannel(primary=primary, fallback=fallback)
    return StackChoice(ResolvedStack(**channels))


def _wishes(agent: AgentConfig) -> tuple[tuple[Channel, _Wish, _Wish], ...]:
    return (
        (
            "stt",
            _Wish(agent.stt_provider, agent.stt_model),
            _Wish(agent.stt_fallback_provider, agent.stt_fallback_model),
        ),
        (
            "llm",
            _Wish(agent.llm_provider, agent.llm_model),
            _Wish(agent.llm_fallback_provider, agent.llm_fallback_model),
        ),
        (
            "tts",
            _Wish(agent.tts_provider, agent.tts_model),
            _Wish(agent.tts_fallback_provider, agent.tts_fallback_model),
        ),
    )


def _choose(
    agent: AgentConfig,
    catalogue: StackCatalogue,
    available: frozenset[str],
    locale: str,
    channel: Channel,
    wish: _Wish,
) -> ProviderChoice | StackProblem:
    name = _CHANNEL_NAMES[channel]
    wished = [m for m in catalogue.models if channel in m.channels and wish.asks_for(m)]
    if not wished:
        return StackProblem(
            channel, f"The catalogue has no {name} model {wish}.".replace(" .", ".")
        )
    speaking = [m for m in wished if covers(m.languages, locale)]
    usable = [m for m in speaking if m.provider in available]
    if not usable:
        if wish.is_open:
            reason = f"No {name} model that is available here covers {locale}."
        elif not speaking:
            reason = f"The {name} model {wish} does not cover {locale}."
        else:
            reason = f"The {name} provider {speaking[0].provider} has no key here."
        return StackProblem(channel, reason)
    usable.sort(key=lambda m: (m.rank, m.provider, m.model))
    if channel == "tts":
        return _choose_voice(agent, catalogue, locale, usable)
    return ProviderChoice(provider=usable[0].provider, model=usable[0].model)


def _choose_voice(
    agent: AgentConfig, catalogue: StackCatalogue, locale: str, models: list[ModelEntry]
) -> ProviderChoice:
    """The agent's voice on the best model that has it, else the best model's own first voice."""
    wanted = {agent.persona.voice_config.voice_id, agent.voice} - {None}
    for model in models:
        for voice in _voices(catalogue, locale, model):
            if voice.voice_id in wanted:
                return _spoken(model, voice)
    return _spoken(models[0], next(iter(_voices(catalogue, locale, models[0])), None))


def _voices(catalogue: StackCatalogue, locale: str, model: ModelEntry) -> list[VoiceEntry]:
    fitting = [
        voice
        for voice in catalogue.voices
        if voice.provider == model.provider
        and model.model in voice.models
        and covers(voice.languages, locale)
    ]
    return sorted(fitting, key=lambda voice: (voice.rank, voice.voice_id))


def _spoken(model: ModelEntry, voice: VoiceEntry | None) -> ProviderChoice:
    return ProviderChoice(
        provider=model.provider, model=model.model, voice=voice.voice_id if voice else None
    )

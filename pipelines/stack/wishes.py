"""What an agent asks for on each channel: its own settings, or those of its managed SKU."""

from __future__ import annotations

from dataclasses import dataclass

from contracts.agent_config import AgentConfig
from contracts.call_plan import Channel
from pipelines.stack.catalogue import ModelEntry, ModelName, SkuEntry, StackCatalogue
from pipelines.stack.custom_endpoints import CUSTOM_URL_FIELDS, custom_url
from pipelines.stack.outcome import CHANNELS, StackProblem
from pipelines.texts.language import covers


@dataclass(frozen=True)
class Wish:
    """A provider, a model or both. If there is neither, the choice is open."""

    provider: str | None = None
    model: str | None = None

    @property
    def is_open(self) -> bool:
        return self.provider is None and self.model is None

    def asks_for(self, model: ModelEntry) -> bool:
        return self.provider in (None, model.provider) and self.model in (None, model.model)

    def __str__(self) -> str:
        return "/".join(part for part in (self.provider, self.model) if part)


@dataclass(frozen=True)
class Wishes:
    """``voices`` are ids, most wanted first."""

    primary: dict[Channel, Wish]
    fallback: dict[Channel, Wish | None]
    """``None``: no fallback."""
    custom_channels: frozenset[Channel]
    """Channels that the tenant's own endpoint serves."""
    voices: tuple[str, ...]
    sku: SkuEntry | None = None
    """The managed SKU that these wishes come from, if they are not the agent's own."""
    warnings: tuple[str, ...] = ()

    def field(self, channel: Channel) -> str:
        """The agent's field that holds the wish for ``channel``."""
        if self.sku is not None:
            return "managed_sku_id"
        return f"{channel}_model" if self.primary[channel].model else f"{channel}_provider"


def wishes_of(agent: AgentConfig, catalogue: StackCatalogue, locale: str) -> Wishes | StackProblem:
    """A problem if a managed agent's SKU is gone or does not cover ``locale``."""
    if agent.agent_kind == "managed":
        return _wishes_of_sku(agent, catalogue, locale)
    # The persona's voice comes first. ``voice`` is never empty, so it may be just the default.
    voices = (agent.persona.voice_config.voice_id, agent.voice)
    return Wishes(
        primary=_own_wishes(agent, ""),
        fallback={
            channel: None if wish.is_open else wish
            for channel, wish in _own_wishes(agent, "_fallback").items()
        },
        custom_channels=_custom_channels(agent),
        voices=tuple(dict.fromkeys(voice for voice in voices if voice)),
    )


def _own_wishes(agent: AgentConfig, suffix: str) -> dict[Channel, Wish]:
    return {
        channel: Wish(
            getattr(agent, f"{channel}{suffix}_provider") or None,
            getattr(agent, f"{channel}{suffix}_model") or None,
        )
        for channel in CHANNELS
    }


def _custom_channels(agent: AgentConfig) -> frozenset[Channel]:
    return frozenset(channel for channel in CHANNELS if custom_url(agent, channel))


def _wishes_of_sku(
    agent: AgentConfig, catalogue: StackCatalogue, locale: str
) -> Wishes | StackProblem:
    sku = catalogue.sku(agent.managed_sku_id)
    if sku is None or not sku.is_active:
        state = "not in the catalogue" if sku is None else "no longer offered"
        return StackProblem(
            None,
            f"The managed SKU {agent.managed_sku_id} is {state}: choose one that "
            "GET /v1/managed-skus lists, or opt out to custom.",
            field="managed_sku_id",
        )
    if not covers(sku.languages, locale):
        return StackProblem(
            None,
            f"The managed SKU {sku.sku_id} does not support {locale}, only "
            f"{', '.join(sku.languages)}: choose another managed SKU or leave that language out.",
        )
    models: dict[Channel, ModelName] = {"stt": sku.stt, "llm": sku.llm, "tts": sku.tts}
    return Wishes(
        primary={channel: Wish(*name) for channel, name in models.items()},
        # The platform answers for a managed agent, so it chooses the fallbacks, too.
        fallback=dict.fromkeys(CHANNELS, Wish()),
        custom_channels=frozenset(),
        voices=(sku.voice,),
        sku=sku,
        warnings=_overruled(agent, sku, models),
    )


def _overruled(
    agent: AgentConfig, sku: SkuEntry, models: dict[Channel, ModelName]
) -> tuple[str, ...]:
    """Warns that a managed agent's own choices have no effect."""
    fields = []
    for channel, (provider, model) in models.items():
        for field, decided in ((f"{channel}_provider", provider), (f"{channel}_model", model)):
            fields += [field] if getattr(agent, field) not in (None, "", decided) else []
        for part in ("provider", "model"):
            field = f"{channel}_fallback_{part}"
            fields += [field] if getattr(agent, field) else []
        fields += [CUSTOM_URL_FIELDS[channel]] if channel in _custom_channels(agent) else []
    if not fields:
        return ()
    return (
        f"The managed SKU {sku.sku_id} decides the models: {', '.join(fields)} have no effect.",
    )

"""What stack resolution can choose from: models, voices, managed SKUs, and what workers can run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from contracts.call_plan import Channel
from pipelines.settings import OPENAI_COMPATIBLE
from pipelines.texts.language import ANY_LANGUAGE

LOCAL = "local"
"""The provider of the offline models. It needs no key and costs the platform nothing."""
CUSTOM = "custom"
"""The provider of the tenant's own endpoints (``custom_llm_url`` and similar)."""
_BEST_RANK = 0


class ModelName(NamedTuple):
    provider: str
    model: str

    def __str__(self) -> str:
        return f"{self.provider}/{self.model}"


@dataclass(frozen=True)
class ModelEntry:
    """One model of the catalogue. A lower ``rank`` is preferred."""

    provider: str
    model: str
    channels: frozenset[Channel]
    languages: tuple[str, ...] = (ANY_LANGUAGE,)
    rank: int = 100
    is_realtime: bool = False
    """One model that listens, thinks and speaks. Chosen only if the agent names it."""
    required_tier: str | None = None
    """The lowest tier that may use it; ``None``: every tier."""
    byok_required: bool = False
    """Needs the tenant's own key, even if the platform has one."""
    supports_tools: bool = True

    @property
    def name(self) -> ModelName:
        return ModelName(self.provider, self.model)


@dataclass(frozen=True)
class VoiceEntry:
    """One voice of the catalogue, and the models of ``provider`` that can speak with it.

    ``languages`` may contain both an accent and its language (``en-GB``, ``en``). Among voices that
    cover a locale, the closest one is preferred.
    """

    voice_id: str
    provider: str
    models: tuple[str, ...]
    languages: tuple[str, ...] = (ANY_LANGUAGE,)
    rank: int = 100
    gender: str = "neutral"


@dataclass(frozen=True)
class SkuEntry:
    """A managed SKU: a stack that the platform has chosen, at one price."""

    sku_id: str
    stt: ModelName
    llm: ModelName
    tts: ModelName
    voice: str
    languages: tuple[str, ...]
    is_active: bool = True


@dataclass(frozen=True)
class Capabilities:
    """What the media workers of this build can run, given the keys."""

    channels: Mapping[str, frozenset[Channel]] = field(default_factory=dict)
    """By provider."""
    realtime: frozenset[str] = frozenset()
    """Providers whose realtime models they can run."""


@dataclass(frozen=True)
class StackCatalogue:
    models: tuple[ModelEntry, ...]
    voices: tuple[VoiceEntry, ...] = ()
    skus: tuple[SkuEntry, ...] = ()
    capabilities: Capabilities | None = None
    """``None``: workers can run everything."""

    def can_run(self, provider: str, channel: Channel) -> bool:
        if self.capabilities is None:
            return True
        return channel in self.capabilities.channels.get(provider, frozenset())

    def can_run_realtime(self, provider: str) -> bool:
        return self.capabilities is None or provider in self.capabilities.realtime

    @property
    def on_any_worker(self) -> StackCatalogue:
        """The same catalogue, as if workers could run everything: for what may be saved."""
        return replace(self, capabilities=None)

    def with_own_server(self, models: Sequence[str]) -> StackCatalogue:
        """The catalogue of a tenant whose own server has these language models. They come before
        all others, and instead of those on the operator's server.

        Args:
            models: empty if the tenant has no server.
        """
        if not models:
            return self
        own = (
            ModelEntry(
                OPENAI_COMPATIBLE,
                model,
                frozenset({"llm"}),
                rank=_BEST_RANK - len(models) + position,
                byok_required=True,
            )
            for position, model in enumerate(models)
        )
        others = (model for model in self.models if model.provider != OPENAI_COMPATIBLE)
        return replace(self, models=(*own, *others))

    def sku(self, sku_id: str | None) -> SkuEntry | None:
        return next((sku for sku in self.skus if sku.sku_id == sku_id), None)

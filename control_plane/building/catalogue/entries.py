"""Entries of the catalogue, as data files and operators write them."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    StrictBool,
    StrictInt,
    StringConstraints,
)

from contracts.call_plan import Channel
from contracts.json_types import Timestamp
from contracts.language_tag import canonical_language_tag
from pipelines.texts.language import ANY_LANGUAGE

_STRICT = ConfigDict(frozen=True, extra="forbid")
_LARGEST = 2**31 - 1

Component = Literal["stt", "llm", "tts", "platform", "managed_sku"]
Name = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200)]
Rank = Annotated[
    StrictInt,
    Field(ge=0, le=_LARGEST, description="The usable entry with the lowest rank is preferred."),
]
Micros = Annotated[
    StrictInt, Field(ge=0, le=1_000_000_000, description="Micro-dollars per minute.")
]


def _checked_range(tag: str) -> str:
    return tag if tag == ANY_LANGUAGE else canonical_language_tag(tag)


LanguageRange = Annotated[str, StringConstraints(max_length=64), AfterValidator(_checked_range)]
"""A language tag that stands for all tags that begin with it, or ``*`` for every language."""
Languages = Annotated[tuple[LanguageRange, ...], Field(min_length=1, max_length=500)]


def _with_region(tag: str) -> str:
    if "-" not in tag:
        raise ValueError(f"{tag!r} is only a language; write a locale such as 'en-US'")
    return canonical_language_tag(tag)


Locale = Annotated[str, StringConstraints(max_length=64), AfterValidator(_with_region)]


class Price(BaseModel):
    model_config = _STRICT
    component: Component
    micros_per_minute: Micros
    valid_from: Timestamp


class Model(BaseModel):
    """A realtime model serves all three channels, but is billed only as an llm."""

    model_config = _STRICT
    provider: Name
    provider_name: Name
    model: Name
    label: Name
    channels: Annotated[tuple[Channel, ...], Field(min_length=1, max_length=3)]
    languages: Languages
    modality: Literal["text", "audio", "realtime"]
    latency_ms: Annotated[StrictInt, Field(ge=0, le=_LARGEST)] | None = None
    reasoning_supported: StrictBool = False
    supports_tools: StrictBool = True
    required_tier: Literal["free", "enterprise"] | None = None
    byok_required: StrictBool = False
    rank: Rank
    is_active: StrictBool = True

    @property
    def priced_components(self) -> set[str]:
        return {"llm"} if self.modality == "realtime" else set(self.channels)


class Voice(BaseModel):
    model_config = _STRICT
    id: Name
    provider: Name
    name: Name
    label: Name
    gender: Literal["female", "male", "neutral"]
    languages: Languages
    models: Annotated[tuple[Name, ...], Field(min_length=1, max_length=100)]
    rank: Rank
    is_active: StrictBool = True


class SkuModel(BaseModel):
    model_config = _STRICT
    provider: Name
    model: Name

    def __str__(self) -> str:
        return f"{self.provider}/{self.model}"


class Sku(BaseModel):
    model_config = _STRICT
    id: Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9-]{0,63}$")]
    label: Name
    best_for: Name
    description: Annotated[str, StringConstraints(min_length=1, max_length=2000)]
    features: Annotated[tuple[Name, ...], Field(max_length=20)] = ()
    stt: SkuModel
    llm: SkuModel
    tts: SkuModel
    voice: Name
    supported_languages: Annotated[tuple[Locale, ...], Field(min_length=1, max_length=200)]
    sort_order: Annotated[StrictInt, Field(ge=0, le=_LARGEST)] = 100
    is_active: StrictBool = True

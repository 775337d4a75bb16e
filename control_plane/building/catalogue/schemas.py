"""The catalogue as the API shows it. Source: API spec, "Catalog entries", "Managed SKU" and
stack-preview under Endpoints."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from contracts.call_plan import Channel
from contracts.language_tag import LanguageTag

Gender = Literal["female", "male", "neutral"]


class ModelView(BaseModel):
    provider: str
    provider_name: str
    model_id: str
    label: str
    type: list[Channel] = Field(
        description="The channels that it serves. A realtime model serves all three."
    )
    plan_locked: bool = Field(description="Whether your tier is below `required_plan`.")
    required_plan: str | None
    byok_required: bool = Field(description="Whether you need a key of your own for the provider.")
    byok_provider_id: str | None = Field(
        description="The provider to set your own key for; null if it takes none."
    )
    modality: Literal["text", "audio", "realtime"]
    latency_ms: int | None = Field(description="Typical time to the first output, in milliseconds.")
    cost_per_min: float | None = Field(
        description="In US dollars. With a key of your own it costs $0."
    )
    reasoning_supported: bool
    languages: list[str] = Field(
        description="Language tags or their prefixes; `*` stands for every language."
    )
    available: bool = Field(description="Whether your calls could use it now.")
    unavailable_reason: str | None = Field(description="Why not, and what to do about it.")


class VoiceView(BaseModel):
    id: str
    provider: str
    name: str
    label: str
    gender: Gender
    supported_model_ids: list[str]
    is_active: bool
    byok_required: bool
    byok_provider_id: str | None
    languages: list[str]


class LlmOptions(BaseModel):
    models: list[ModelView] = Field(description="Best first.")
    voices: list[VoiceView]


class VoiceList(BaseModel):
    voices: list[VoiceView]


class SkuModelView(BaseModel):
    provider: str
    model: str


class SkuView(BaseModel):
    model_config = ConfigDict(alias_generator=to_camel, validate_by_name=True)
    id: str
    label: str
    best_for: str
    description: str
    features: list[str]
    price_per_min: float | None = Field(description="In US dollars, including the providers.")
    effective_price_per_min: float
    stt: SkuModelView
    llm: SkuModelView
    tts: SkuModelView
    voice: str
    supported_languages: list[str]
    is_active: bool
    sort_order: int
    available: bool = Field(description="Whether this installation can run it now.")
    unavailable_reason: str | None


class SkuList(BaseModel):
    skus: list[SkuView]


class StackPreviewRequest(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={"example": {"supported_languages": ["en-US", "hi-IN"]}},
    )
    supported_languages: Annotated[list[LanguageTag], Field(min_length=1, max_length=200)]
    language: LanguageTag | None = Field(None, description="Default: the first supported one.")
    current_provider_config: dict[str, Any] | None = Field(
        None,
        description="An agent's `provider_config`, or just `stt`, `llm` and `tts` of `language`. "
        "`changes` then shows what would differ from it.",
    )


class StackChange(BaseModel):
    """A choice is `provider/model`, or `provider/model/voice` in text-to-speech; null is none."""

    language: str
    channel: Channel
    current: str | None
    preview: str | None


class StackPreview(BaseModel):
    language: str
    supported_languages: list[str]
    provider_config: dict[str, Any]
    blockers: list[str] = Field(description="Languages that cannot be served, and why.")
    warnings: list[str]
    changes: list[StackChange] = Field(
        description="Differences from `current_provider_config`; empty if you sent none."
    )

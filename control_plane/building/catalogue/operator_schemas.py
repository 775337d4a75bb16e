"""Requests and answers of the operator's edits of the catalogue."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, StrictBool
from pydantic.config import JsonDict

from contracts.call_plan import Channel
from contracts.clearable import Clearable
from contracts.json_types import Timestamp
from control_plane.building.catalogue.entries import Micros, Model, Name, Sku, Voice

_STRICT = ConfigDict(frozen=True, extra="forbid")
_EDITED = Field(description="When an operator last changed it; null if the data file decides.")

_MODEL_EXAMPLE: JsonDict = {
    "provider": "openai",
    "provider_name": "OpenAI",
    "model": "gpt-6.1-terra-eu",
    "label": "GPT-6.1 Terra (EU)",
    "channels": ["llm"],
    "languages": ["*"],
    "modality": "text",
    "rank": 23,
    "prices_micros_per_minute": {"llm": 28000},
}
_VOICE_EXAMPLE: JsonDict = {
    "id": "aura-2-callista-en",
    "provider": "deepgram",
    "name": "Callista",
    "label": "Callista (American)",
    "gender": "female",
    "languages": ["en-US", "en"],
    "models": ["aura-2"],
    "rank": 900,
}
_SKU_EXAMPLE: JsonDict = {
    "id": "night-shift",
    "label": "Night shift",
    "best_for": "Answering after hours",
    "description": "Everything runs on this machine.",
    "stt": {"provider": "local", "model": "moonshine-tiny-en"},
    "llm": {"provider": "local", "model": "playbook"},
    "tts": {"provider": "local", "model": "hibari-en"},
    "voice": "hibari",
    "supported_languages": ["en-US"],
    "price_micros_per_minute": 15000,
}


class ModelEdit(Model):
    """The whole entry. A new model needs prices; for a known one they are optional."""

    model_config = ConfigDict(json_schema_extra={"example": _MODEL_EXAMPLE})
    prices_micros_per_minute: Clearable[dict[Channel, Micros]] = Field(
        default_factory=dict, description="Valid from now on."
    )


class VoiceEdit(Voice):
    """The whole entry."""

    model_config = ConfigDict(json_schema_extra={"example": _VOICE_EXAMPLE})


class SkuEdit(Sku):
    """The whole entry. A SKU that has never had a price costs nothing."""

    model_config = ConfigDict(json_schema_extra={"example": _SKU_EXAMPLE})
    price_micros_per_minute: Micros | None = Field(None, description="Valid from now on.")


class ModelSwitch(BaseModel):
    model_config = ConfigDict(
        **_STRICT,
        json_schema_extra={
            "example": {"provider": "openai", "model": "gpt-4o", "is_active": False}
        },
    )
    provider: Name
    model: Name
    is_active: StrictBool


class VoiceSwitch(BaseModel):
    model_config = ConfigDict(
        **_STRICT,
        json_schema_extra={"example": {"provider": "local", "id": "espeak", "is_active": False}},
    )
    provider: Name
    id: Name
    is_active: StrictBool


class SkuSwitch(BaseModel):
    model_config = ConfigDict(
        **_STRICT, json_schema_extra={"example": {"id": "offline-english", "is_active": False}}
    )
    id: Name
    is_active: StrictBool


class PriceCreate(BaseModel):
    """A new price. It replaces the previous one from `valid_from` on; the previous one is kept.

    The platform's fee is the component `platform` of `switchboard`/`platform`."""

    model_config = ConfigDict(
        **_STRICT,
        json_schema_extra={
            "example": {
                "component": "llm",
                "provider": "openai",
                "model": "gpt-4o",
                "micros_per_minute": 48000,
                "valid_from": "2030-01-01T00:00:00Z",
            }
        },
    )
    component: Literal["stt", "llm", "tts", "managed_sku", "platform"]
    provider: Name = Field(
        description="The provider; `switchboard` for a managed SKU and the platform's fee."
    )
    model: Name = Field(description="The id of the model or managed SKU.")
    micros_per_minute: Micros
    valid_from: Timestamp | None = Field(None, description="Default: now. Must not be in the past.")


class EditedModel(Model):
    model_config = ConfigDict(from_attributes=True)
    edited_at: Annotated[datetime | None, _EDITED]


class EditedVoice(Voice):
    model_config = ConfigDict(from_attributes=True)
    edited_at: Annotated[datetime | None, _EDITED]


class EditedSku(Sku):
    edited_at: Annotated[datetime | None, _EDITED]


class PriceView(BaseModel):
    model_config = ConfigDict(from_attributes=True)
    id: UUID
    component: str
    provider: str
    model: str
    micros_per_minute: int
    valid_from: datetime


class EditedModels(BaseModel):
    models: list[EditedModel]


class EditedVoices(BaseModel):
    voices: list[EditedVoice]


class EditedSkus(BaseModel):
    skus: list[EditedSku]


class PriceHistory(BaseModel):
    prices: list[PriceView] = Field(description="Newest first within a component.")


class EntrySaved(BaseModel):
    status: Literal["saved"] = "saved"
    edited_at: datetime


class PriceCreated(BaseModel):
    status: Literal["created"] = "created"
    price: PriceView

"""Entries of the catalogue as rows of its tables, and rows as entries of stack resolution.

The driver takes lists for PostgreSQL's arrays.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from contracts.call_plan import Channel
from control_plane.building.catalogue.entries import Model, Sku, Voice
from control_plane.building.catalogue.models import CatalogueModel, CatalogueVoice, ManagedSku
from pipelines.stack import ModelEntry, ModelName, SkuEntry, VoiceEntry


def model_row(model: Model) -> dict[str, Any]:
    return model.model_dump(include=set(Model.model_fields)) | {
        "channels": list(model.channels),
        "languages": list(model.languages),
    }


def voice_row(voice: Voice, languages: Sequence[str]) -> dict[str, Any]:
    return voice.model_dump(include=set(Voice.model_fields)) | {
        "languages": list(languages),
        "models": list(voice.models),
    }


def sku_row(sku: Sku) -> dict[str, Any]:
    row = sku.model_dump(include=set(Sku.model_fields) - {"stt", "llm", "tts"}) | {
        "features": list(sku.features),
        "supported_languages": list(sku.supported_languages),
    }
    for channel in ("stt", "llm", "tts"):
        choice = getattr(sku, channel)
        row |= {f"{channel}_provider": choice.provider, f"{channel}_model": choice.model}
    return row


def sku_document(row: ManagedSku) -> dict[str, Any]:
    """The row as an entry again, with ``edited_at``."""
    fields = set(Sku.model_fields) - {"stt", "llm", "tts"} | {"edited_at"}
    document = {name: getattr(row, name) for name in fields}
    for channel in ("stt", "llm", "tts"):
        provider, model = getattr(row, f"{channel}_provider"), getattr(row, f"{channel}_model")
        document[channel] = {"provider": provider, "model": model}
    return document


def model_entry(row: CatalogueModel) -> ModelEntry:
    return ModelEntry(
        provider=row.provider,
        model=row.model,
        channels=frozenset(cast(list[Channel], row.channels)),
        languages=tuple(row.languages),
        rank=row.rank,
        is_realtime=row.modality == "realtime",
        required_tier=row.required_tier,
        byok_required=row.byok_required,
        supports_tools=row.supports_tools,
    )


def voice_entry(row: CatalogueVoice) -> VoiceEntry:
    return VoiceEntry(
        voice_id=row.id,
        provider=row.provider,
        models=tuple(row.models),
        languages=tuple(row.languages),
        rank=row.rank,
        gender=row.gender,
    )


def sku_entry(row: ManagedSku) -> SkuEntry:
    return SkuEntry(
        sku_id=row.id,
        stt=ModelName(row.stt_provider, row.stt_model),
        llm=ModelName(row.llm_provider, row.llm_model),
        tts=ModelName(row.tts_provider, row.tts_model),
        voice=row.voice,
        languages=tuple(row.supported_languages),
        is_active=row.is_active,
    )

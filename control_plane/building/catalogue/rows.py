"""Entries of the catalogue as rows of its tables. PostgreSQL's arrays are lists to the driver."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from control_plane.building.catalogue.entries import Model, Sku, Voice
from control_plane.building.catalogue.models import ManagedSku


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
    """The way back, with ``edited_at``."""
    fields = set(Sku.model_fields) - {"stt", "llm", "tts"} | {"edited_at"}
    document = {name: getattr(row, name) for name in fields}
    for channel in ("stt", "llm", "tts"):
        provider, model = getattr(row, f"{channel}_provider"), getattr(row, f"{channel}_model")
        document[channel] = {"provider": provider, "model": model}
    return document

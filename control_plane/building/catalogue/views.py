"""The catalogue as one tenant sees it, according to its tier and keys."""

from __future__ import annotations

from collections.abc import Mapping
from typing import get_args

from contracts.agent_config import AgentConfig
from contracts.call_plan import Channel
from contracts.money import usd
from control_plane.building.catalogue.models import (
    CatalogueModel,
    CatalogueVoice,
    ManagedSku,
    PriceRecord,
)
from control_plane.building.catalogue.prices import sku_price_name
from control_plane.building.catalogue.rows import model_entry
from control_plane.building.catalogue.schemas import ModelView, SkuModelView, SkuView, VoiceView
from control_plane.building.catalogue.stack_prices import PriceName
from control_plane.building.provider_keys.repository import OwnServer
from pipelines.settings import OPENAI_COMPATIBLE
from pipelines.stack import (
    LOCAL,
    AvailableKeys,
    Situation,
    StackCatalogue,
    StackProblem,
    resolve_stack,
)
from pipelines.texts.language import ANY_LANGUAGE

Prices = Mapping[PriceName, PriceRecord]


def model_view(
    row: CatalogueModel, catalogue: StackCatalogue, keys: AvailableKeys, prices: Prices
) -> ModelView:
    reason = _why_not(row, catalogue, keys)
    return ModelView.model_validate(
        {
            "provider": row.provider,
            "provider_name": row.provider_name,
            "model_id": row.model,
            "label": row.label,
            "type": row.channels,
            "plan_locked": not keys.reaches(row.required_tier),
            "required_plan": row.required_tier,
            "byok_required": row.byok_required or needs_own_key(row.provider, keys),
            "byok_provider_id": _takes_key(row.provider),
            "modality": row.modality,
            "latency_ms": row.latency_ms,
            "cost_per_min": _cost(row, prices),
            "reasoning_supported": row.reasoning_supported,
            "languages": row.languages,
            "available": reason is None,
            "unavailable_reason": reason,
        }
    )


def own_model_view(model: str, server: OwnServer) -> ModelView:
    """A model of the tenant's own server."""
    return ModelView.model_validate(
        {
            "provider": OPENAI_COMPATIBLE,
            "provider_name": server.display_name,
            "model_id": model,
            "label": model,
            "type": ["llm"],
            "plan_locked": False,
            "required_plan": None,
            "byok_required": True,
            "byok_provider_id": OPENAI_COMPATIBLE,
            "modality": "text",
            "latency_ms": None,
            "cost_per_min": 0.0,
            "reasoning_supported": False,
            "languages": [ANY_LANGUAGE],
            "available": True,
            "unavailable_reason": None,
        }
    )


def voice_view(row: CatalogueVoice, keys: AvailableKeys) -> VoiceView:
    return VoiceView.model_validate(
        {
            "id": row.id,
            "provider": row.provider,
            "name": row.name,
            "label": row.label,
            "gender": row.gender,
            "supported_model_ids": row.models,
            "is_active": row.is_active,
            "byok_required": needs_own_key(row.provider, keys),
            "byok_provider_id": _takes_key(row.provider),
            "languages": row.languages,
        }
    )


def sku_view(
    row: ManagedSku, catalogue: StackCatalogue, keys: AvailableKeys, prices: Prices
) -> SkuView:
    price = prices.get(("managed_sku", *sku_price_name(row.id)))
    language = row.supported_languages[0]
    agent = AgentConfig(name=row.id, agent_kind="managed", managed_sku_id=row.id, language=language)
    resolved = resolve_stack(agent, catalogue, keys, language)
    reason = resolved.reason if isinstance(resolved, StackProblem) else None
    return SkuView(
        id=row.id,
        label=row.label,
        best_for=row.best_for,
        description=row.description,
        features=row.features,
        price_per_min=None if price is None else usd(price.micros_per_minute),
        effective_price_per_min=0 if price is None else usd(price.micros_per_minute),
        stt=SkuModelView(provider=row.stt_provider, model=row.stt_model),
        llm=SkuModelView(provider=row.llm_provider, model=row.llm_model),
        tts=SkuModelView(provider=row.tts_provider, model=row.tts_model),
        voice=row.voice,
        supported_languages=row.supported_languages,
        is_active=row.is_active,
        sort_order=row.sort_order,
        available=reason is None,
        unavailable_reason=reason,
    )


def needs_own_key(provider: str, keys: AvailableKeys) -> bool:
    """Whether the platform has no key for the provider. The tenant's own key does not count."""
    return provider != LOCAL and provider not in keys.platform


def _takes_key(provider: str) -> str | None:
    return None if provider == LOCAL else provider


def _why_not(row: CatalogueModel, catalogue: StackCatalogue, keys: AvailableKeys) -> str | None:
    situation, entry = Situation(catalogue, keys, locale=None), model_entry(row)
    channels: tuple[Channel, ...] = get_args(Channel)
    reasons = (situation.why_not(entry, name) for name in channels if name in entry.channels)
    return next(filter(None, reasons), None)


def _cost(row: CatalogueModel, prices: Prices) -> float | None:
    """What a minute of the model costs; ``None`` if a part of it has no price."""
    components = ["llm"] if row.modality == "realtime" else row.channels
    found = [prices.get((component, row.provider, row.model)) for component in components]
    micros = [price.micros_per_minute for price in found if price is not None]
    return usd(sum(micros)) if len(micros) == len(components) else None

"""The catalogue as stack resolution sees it, and what a stack costs."""

from __future__ import annotations

from datetime import datetime
from typing import cast

from sqlalchemy import func, select, tuple_
from sqlalchemy.dialects.postgresql import distinct_on
from sqlalchemy.ext.asyncio import AsyncSession

from contracts.call_plan import Channel, PriceRow, ResolvedStack
from control_plane.building.catalogue.models import (
    CatalogueModel,
    CatalogueVoice,
    ManagedSku,
    PriceRecord,
    ProviderCapability,
)
from control_plane.building.catalogue.stack_prices import PriceName, price_rows_of, prices_needed
from pipelines.stack import (
    Capabilities,
    ModelEntry,
    ModelName,
    SkuEntry,
    StackCatalogue,
    VoiceEntry,
)


async def stack_catalogue(session: AsyncSession) -> StackCatalogue:
    """The active models and voices, every managed SKU, and what this build's workers can run."""
    models = await session.scalars(select(CatalogueModel).where(CatalogueModel.is_active))
    voices = await session.scalars(select(CatalogueVoice).where(CatalogueVoice.is_active))
    skus = await session.scalars(select(ManagedSku))
    capabilities = (await session.scalars(select(ProviderCapability))).all()
    return StackCatalogue(
        models=tuple(map(model_entry, models)),
        voices=tuple(map(voice_entry, voices)),
        skus=tuple(map(sku_entry, skus)),
        capabilities=Capabilities(
            channels={
                row.provider: frozenset(cast(list[Channel], row.channels)) for row in capabilities
            },
            realtime=frozenset(row.provider for row in capabilities if row.realtime),
        ),
    )


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


async def price_rows(
    session: AsyncSession,
    stack: ResolvedStack,
    sku_id: str | None = None,
    *,
    at: datetime | None = None,
) -> tuple[PriceRow, ...]:
    """What a minute of ``stack`` costs at ``at`` (now), to be frozen in a plan.

    Raises:
        PriceMissing: a component has no price row that is valid by then.
    """
    valid = await prices_at(session, prices_needed(stack, sku_id), at)
    return price_rows_of(stack, sku_id, valid)


async def prices_at(
    session: AsyncSession, names: list[PriceName] | None = None, at: datetime | None = None
) -> dict[PriceName, PriceRecord]:
    """The price that each of ``names`` (or everything) has at ``at`` (now); some may have none."""
    key = (PriceRecord.component, PriceRecord.provider, PriceRecord.model)
    statement = (
        select(PriceRecord)
        .ext(distinct_on(*key))
        .where(PriceRecord.valid_from <= (at or func.now()))
        .order_by(*key, PriceRecord.valid_from.desc())
    )
    if names is not None:
        statement = statement.where(tuple_(*key).in_(sorted(set(names))))
    rows = await session.scalars(statement)
    return {(row.component, row.provider, row.model): row for row in rows}

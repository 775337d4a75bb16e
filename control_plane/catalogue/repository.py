"""Every query on the catalogue."""

from __future__ import annotations

from datetime import datetime
from typing import cast

from sqlalchemy import func, select, tuple_
from sqlalchemy.dialects.postgresql import distinct_on
from sqlalchemy.ext.asyncio import AsyncSession

from contracts.call_plan import Channel, PriceRow, ResolvedStack
from control_plane.catalogue.models import CatalogueModel, CatalogueVoice, PriceRecord
from pipelines.stack import ModelEntry, StackCatalogue, VoiceEntry


class PriceMissing(LookupError):
    """A component of a stack has no price: the catalogue's data is incomplete."""


async def stack_catalogue(session: AsyncSession) -> StackCatalogue:
    """The active models and voices, best-ranked first."""
    models = await session.scalars(
        select(CatalogueModel)
        .where(CatalogueModel.is_active)
        .order_by(CatalogueModel.rank, CatalogueModel.provider, CatalogueModel.model)
    )
    voices = await session.scalars(
        select(CatalogueVoice)
        .where(CatalogueVoice.is_active)
        .order_by(CatalogueVoice.rank, CatalogueVoice.provider, CatalogueVoice.id)
    )
    return StackCatalogue(
        models=tuple(
            ModelEntry(
                provider=row.provider,
                model=row.model,
                channels=frozenset(cast(list[Channel], row.channels)),
                languages=tuple(row.languages),
                rank=row.rank,
            )
            for row in models
        ),
        voices=tuple(
            VoiceEntry(
                voice_id=row.id,
                provider=row.provider,
                models=tuple(row.models),
                languages=tuple(row.languages),
                rank=row.rank,
            )
            for row in voices
        ),
    )


async def price_rows(
    session: AsyncSession, stack: ResolvedStack, *, at: datetime | None = None
) -> tuple[PriceRow, ...]:
    """What a minute of ``stack`` costs at ``at`` (now): its primary models and the platform fee.

    Raises:
        PriceMissing: a component has no price row that is valid by then.
    """
    wanted = {
        ("stt", stack.stt.primary.provider, stack.stt.primary.model),
        ("llm", stack.llm.primary.provider, stack.llm.primary.model),
        ("tts", stack.tts.primary.provider, stack.tts.primary.model),
        ("platform", "switchboard", "platform"),
    }
    key = (PriceRecord.component, PriceRecord.provider, PriceRecord.model)
    rows = await session.scalars(
        select(PriceRecord)
        .ext(distinct_on(*key))
        .where(tuple_(*key).in_(sorted(wanted)), PriceRecord.valid_from <= (at or func.now()))
        .order_by(*key, PriceRecord.valid_from.desc())
    )
    prices = tuple(
        PriceRow.model_validate(
            {
                "price_id": row.id,
                "component": row.component,
                "provider": row.provider,
                "model": row.model,
                "micros_per_minute": row.micros_per_minute,
            }
        )
        for row in rows
    )
    missing = wanted - {(row.component, row.provider, row.model) for row in prices}
    if missing:
        raise PriceMissing(f"no price row for {sorted(missing)}")
    return prices

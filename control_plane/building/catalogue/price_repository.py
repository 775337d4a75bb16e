"""Every query on prices. A price row never changes; a later one replaces it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from uuid import UUID

from sqlalchemy import func, select, tuple_
from sqlalchemy.dialects.postgresql import distinct_on, insert
from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.building.catalogue.models import PriceRecord
from control_plane.building.catalogue.prices import DatedPrice, PriceEntry
from control_plane.building.catalogue.stack_prices import PriceName


async def prices_at(
    session: AsyncSession, names: list[PriceName] | None = None, at: datetime | None = None
) -> dict[PriceName, PriceRecord]:
    """The price of each of ``names`` (default: all) at ``at`` (default: now). Names without a price
    are left out."""
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


async def list_prices(
    session: AsyncSession, *, provider: str | None = None, model: str | None = None
) -> Sequence[PriceRecord]:
    """The whole history, newest first within a component."""
    statement = select(PriceRecord).order_by(
        PriceRecord.provider,
        PriceRecord.model,
        PriceRecord.component,
        PriceRecord.valid_from.desc(),
    )
    if provider is not None:
        statement = statement.where(PriceRecord.provider == provider)
    if model is not None:
        statement = statement.where(PriceRecord.model == model)
    return (await session.scalars(statement)).all()


async def dated_prices(session: AsyncSession) -> Mapping[PriceName, Sequence[DatedPrice]]:
    """Every price by what it is for, the latest first."""
    rows = await session.execute(
        select(
            PriceRecord.component,
            PriceRecord.provider,
            PriceRecord.model,
            PriceRecord.id,
            PriceRecord.micros_per_minute,
            PriceRecord.valid_from,
        ).order_by(PriceRecord.valid_from.desc())
    )
    prices: defaultdict[PriceName, list[DatedPrice]] = defaultdict(list)
    for component, provider, model, price_id, micros_per_minute, valid_from in rows:
        dated = DatedPrice(price_id, micros_per_minute, valid_from)
        prices[component, provider, model].append(dated)
    return prices


async def valid_from(session: AsyncSession, price_ids: Collection[UUID]) -> dict[UUID, datetime]:
    """Since when each of these rows holds. Rows that the catalogue does not have are left out."""
    rows = await session.execute(
        select(PriceRecord.id, PriceRecord.valid_from).where(PriceRecord.id.in_(price_ids))
    )
    return {row.id: row.valid_from for row in rows}


async def add(session: AsyncSession, entry: PriceEntry) -> PriceRecord | None:
    """The new row; ``None`` if a price with exactly that time exists."""
    added: PriceRecord | None = await session.scalar(
        insert(PriceRecord).values(entry.row).on_conflict_do_nothing().returning(PriceRecord)
    )
    return added

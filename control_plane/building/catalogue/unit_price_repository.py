"""Every query on unit prices."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import cast

from sqlalchemy import select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from contracts.call_plan import Channel, PricedUnit
from control_plane.building.catalogue.models import UnitPriceRecord
from control_plane.building.catalogue.unit_prices import (
    DatedUnitPrice,
    UnitPriceEntry,
    UnitPriceName,
)


async def list_unit_prices(
    session: AsyncSession, *, provider: str | None = None, model: str | None = None
) -> Sequence[UnitPriceRecord]:
    """The whole history, newest first within a model's channel."""
    statement = select(UnitPriceRecord).order_by(
        UnitPriceRecord.provider,
        UnitPriceRecord.model,
        UnitPriceRecord.channel,
        UnitPriceRecord.valid_from.desc(),
    )
    if provider is not None:
        statement = statement.where(UnitPriceRecord.provider == provider)
    if model is not None:
        statement = statement.where(UnitPriceRecord.model == model)
    return (await session.scalars(statement)).all()


async def dated_unit_prices(
    session: AsyncSession,
) -> Mapping[UnitPriceName, Sequence[DatedUnitPrice]]:
    """Every unit price by what it is for, the latest first."""
    rows = await session.scalars(
        select(UnitPriceRecord).order_by(UnitPriceRecord.valid_from.desc())
    )
    prices: defaultdict[UnitPriceName, list[DatedUnitPrice]] = defaultdict(list)
    for row in rows:
        micros_per = cast(dict[PricedUnit, int], row.micros_per)
        dated = DatedUnitPrice(row.id, micros_per, row.valid_from)
        prices[cast(Channel, row.channel), row.provider, row.model].append(dated)
    return prices


async def add(session: AsyncSession, entry: UnitPriceEntry) -> UnitPriceRecord | None:
    """The new row; ``None`` if a unit price with exactly that time exists."""
    added: UnitPriceRecord | None = await session.scalar(
        insert(UnitPriceRecord)
        .values(entry.row)
        .on_conflict_do_nothing()
        .returning(UnitPriceRecord)
    )
    return added

"""What a stack costs, from the prices that the database has."""

from __future__ import annotations

from datetime import UTC, datetime

from sqlalchemy.ext.asyncio import AsyncSession

from contracts.call_plan import PriceRow, ResolvedStack
from control_plane.building.catalogue.edition import load_edition


async def price_rows(
    session: AsyncSession,
    stack: ResolvedStack,
    sku_id: str | None = None,
    *,
    at: datetime | None = None,
) -> tuple[PriceRow, ...]:
    """What a minute of ``stack`` costs at ``at`` (default: now)."""
    edition = await load_edition(session, 1)
    return edition.price_rows(stack, sku_id, at or datetime.now(UTC))

"""What a stack costs, from the prices that the database has."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import uuid4

from sqlalchemy import insert
from sqlalchemy.ext.asyncio import AsyncSession

from contracts.call_plan import PriceRow, ResolvedStack
from control_plane.building.catalogue.edition import load_edition
from control_plane.building.catalogue.models import PriceRecord
from control_plane.platform.database import Database


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


async def charge_for_the_playbook(database: Database, micros_per_minute: int = 5_000) -> None:
    """Give the offline language model a price, as an operator can."""
    async with database.system_session() as session:
        await session.execute(
            insert(PriceRecord).values(
                id=uuid4(),
                component="llm",
                provider="local",
                model="playbook",
                micros_per_minute=micros_per_minute,
                valid_from=datetime.now(UTC) - timedelta(seconds=1),
            )
        )

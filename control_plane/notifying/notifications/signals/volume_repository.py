"""The queries on how many calls began in each hour. For jobs: they concern every tenant."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from uuid import UUID

from sqlalchemy import delete, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.notifying.notifications.models import CallHour
from control_plane.notifying.notifications.signals.volume import COMPARED_WITH


async def add_calls(session: AsyncSession, tenant_id: UUID, hour: datetime, calls: int) -> int:
    """Returns how many began in the hour so far."""
    added = insert(CallHour).values(tenant_id=tenant_id, hour=hour, calls=calls)
    total = await session.scalar(
        added.on_conflict_do_update(
            index_elements=["tenant_id", "hour"],
            set_={"calls": CallHour.calls + added.excluded.calls},
        ).returning(CallHour.calls)
    )
    return int(total or 0)


async def calls_before(
    session: AsyncSession, tenant_id: UUID, hour: datetime
) -> Mapping[datetime, int]:
    """How many began in each hour that ``hour`` is compared with."""
    rows = await session.execute(
        select(CallHour.hour, CallHour.calls).where(
            CallHour.tenant_id == tenant_id,
            CallHour.hour >= hour - COMPARED_WITH,
            CallHour.hour < hour,
        )
    )
    return {row.hour: row.calls for row in rows}


async def delete_before(session: AsyncSession, hour: datetime) -> None:
    await session.execute(delete(CallHour).where(CallHour.hour < hour))

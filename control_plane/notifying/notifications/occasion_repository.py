"""What is told once, or not again for a while."""

from __future__ import annotations

from datetime import datetime, timedelta
from uuid import UUID

from sqlalchemy import delete
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.notifying.notifications.models import NotificationOccasion


async def is_due(
    session: AsyncSession,
    tenant_id: UUID,
    category: str,
    occasion: str,
    now: datetime,
    *,
    again_after: timedelta | None = None,
) -> bool:
    """Whether the caller is the one to tell it. The row that says so is part of the transaction.

    Args:
        again_after: ``None``: never again.
    """
    added = insert(NotificationOccasion).values(
        tenant_id=tenant_id, event_category=category, occasion=occasion, told_at=now
    )
    key = ["tenant_id", "event_category", "occasion"]
    added = (
        added.on_conflict_do_nothing(index_elements=key)
        if again_after is None
        else added.on_conflict_do_update(
            index_elements=key,
            set_={"told_at": now},
            where=NotificationOccasion.told_at <= now - again_after,
        )
    )
    told = await session.scalar(added.returning(NotificationOccasion.told_at))
    return told is not None


_DATED = ("call.daily_summary", "call.monthly_summary", "call.volume_spike")
"""Each day and month of these is an occasion of its own."""


async def delete_dated(session: AsyncSession, before: datetime) -> None:
    """Forget days and months that were told before ``before``. For jobs: of every tenant."""
    await session.execute(
        delete(NotificationOccasion).where(
            NotificationOccasion.event_category.in_(_DATED), NotificationOccasion.told_at < before
        )
    )

"""The queries of parked events. They are the operator's: their calls may be any tenant's."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.calling.calls.models import ParkedEvent


async def page_of(
    session: AsyncSession, *, is_resolved: bool, after: int | None, limit: int
) -> Sequence[ParkedEvent]:
    """The newest ``limit`` events that were parked before the event ``after``."""
    query = select(ParkedEvent).where(
        ParkedEvent.resolved_at.is_not(None) if is_resolved else ParkedEvent.resolved_at.is_(None)
    )
    if after is not None:
        query = query.where(ParkedEvent.id < after)
    found = await session.scalars(query.order_by(ParkedEvent.id.desc()).limit(limit))
    return found.all()


async def find(session: AsyncSession, parked_event_id: int) -> ParkedEvent | None:
    return await session.get(ParkedEvent, parked_event_id)


async def locked(session: AsyncSession, parked_event_id: int) -> ParkedEvent | None:
    """The event, held until the transaction ends."""
    return await session.get(ParkedEvent, parked_event_id, with_for_update=True)


async def open_events(session: AsyncSession) -> int:
    """How many wait for the operator."""
    count = await session.scalar(
        select(func.count()).select_from(ParkedEvent).where(ParkedEvent.resolved_at.is_(None))
    )
    return count or 0

"""Every query on recordings. All take the tenant; none commits."""

from __future__ import annotations

from uuid import UUID

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.calling.recordings.models import Recording


async def latest_recording(
    session: AsyncSession, tenant_id: UUID, call_id: UUID
) -> Recording | None:
    """The call's newest recording; ``None`` if nothing was recorded."""
    found: Recording | None = await session.scalar(
        select(Recording)
        .where(Recording.tenant_id == tenant_id, Recording.call_id == call_id)
        .order_by(Recording.started_at.desc())
        .limit(1)
    )
    return found


async def locked_recording(
    session: AsyncSession, tenant_id: UUID, recording_id: UUID
) -> Recording | None:
    """Held against every other transaction until this one ends."""
    found: Recording | None = await session.scalar(
        select(Recording)
        .where(Recording.tenant_id == tenant_id, Recording.id == recording_id)
        .with_for_update()
        .execution_options(populate_existing=True)
    )
    return found

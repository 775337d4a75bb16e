"""Every query on recordings. All take the tenant; none commits."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from sqlalchemy import delete, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.calling.recordings.models import Recording


async def latest_recording(
    session: AsyncSession, tenant_id: UUID, call_id: UUID
) -> Recording | None:
    """The newest recording of the call; ``None`` if it was not recorded."""
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
    """The recording, locked until the transaction ends."""
    found: Recording | None = await session.scalar(
        select(Recording)
        .where(Recording.tenant_id == tenant_id, Recording.id == recording_id)
        .with_for_update()
        .execution_options(populate_existing=True)
    )
    return found


async def delete_recording(session: AsyncSession, tenant_id: UUID, recording_id: UUID) -> None:
    """Its audio is for ``tasks.delete_refused`` to delete."""
    await session.execute(
        delete(Recording).where(Recording.tenant_id == tenant_id, Recording.id == recording_id)
    )


async def add_recording(
    session: AsyncSession, tenant_id: UUID, call_id: UUID, recording_id: UUID, started_at: datetime
) -> None:
    """Add a recording that has just begun. Adding it again changes nothing."""
    await session.execute(
        insert(Recording)
        .values(
            id=recording_id,
            tenant_id=tenant_id,
            call_id=call_id,
            status="processing",
            started_at=started_at,
        )
        .on_conflict_do_nothing()
    )

"""Every query on data retention. None commits."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import and_, exists, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.calling.calls.models import Call
from control_plane.calling.recordings.models import Recording
from control_plane.calling.retention.models import DataRetention, Kind

SHORTEST = timedelta(days=1)
"""Nobody keeps data for less time."""


class OldCall(NamedTuple):
    id: UUID
    created_at: datetime
    is_done: bool
    """It is over, and its recording's files are made: no job adds to it."""


async def days_of(session: AsyncSession, tenant_id: UUID) -> dict[Kind, int | None]:
    """What the tenant has set."""
    rows = await session.scalars(select(DataRetention).where(DataRetention.tenant_id == tenant_id))
    return {row.kind: row.days for row in rows}


async def set_days(session: AsyncSession, tenant_id: UUID, kind: Kind, days: int | None) -> None:
    await session.execute(
        insert(DataRetention)
        .values(tenant_id=tenant_id, kind=kind, days=days)
        .on_conflict_do_update(index_elements=["tenant_id", "kind"], set_={"days": days})
    )


async def all_limited(session: AsyncSession) -> Sequence[DataRetention]:
    """What is not kept for good, of every tenant. For jobs."""
    found = await session.scalars(
        select(DataRetention)
        .where(DataRetention.days.is_not(None))
        .order_by(DataRetention.tenant_id, DataRetention.kind)
    )
    return found.all()


async def old_calls(
    session: AsyncSession,
    tenant_id: UUID,
    *,
    after: datetime | None,
    before: datetime,
    limit: int,
) -> list[OldCall]:
    """The tenant's oldest calls of that time: ``limit``, and those created at the same moment as
    the last of them."""
    is_processing = exists().where(
        Recording.tenant_id == tenant_id,
        Recording.call_id == Call.id,
        Recording.status == "processing",
    )
    is_done = and_(Call.ended_at.is_not(None), ~is_processing)
    query = select(Call.id, Call.created_at, is_done).where(
        Call.tenant_id == tenant_id, Call.created_at < before
    )
    if after is not None:
        query = query.where(Call.created_at > after)
    rows = await session.execute(query.order_by(Call.created_at).fetch(limit, with_ties=True))
    return [OldCall(*row) for row in rows]


async def with_recordings(
    session: AsyncSession, tenant_id: UUID, call_ids: Sequence[UUID]
) -> Sequence[UUID]:
    """Which of these calls were recorded."""
    found = await session.scalars(
        select(Recording.call_id)
        .where(Recording.tenant_id == tenant_id, Recording.call_id.in_(call_ids))
        .distinct()
    )
    return found.all()


async def note_done(
    session: AsyncSession,
    tenant_id: UUID,
    kind: Kind,
    *,
    after: datetime | None,
    until: datetime,
) -> None:
    """Note that everything is deleted up to ``until``, unless ``look_again`` has moved ``after``
    meanwhile."""
    await session.execute(
        update(DataRetention)
        .where(
            DataRetention.tenant_id == tenant_id,
            DataRetention.kind == kind,
            DataRetention.done_until.is_not_distinct_from(after),
        )
        .values(done_until=until)
    )


async def look_again(session: AsyncSession, tenant_id: UUID, created_at: datetime) -> None:
    """A call that was created then has left something behind after its end: if the data of its time
    was deleted before, the next deletion begins with it. Needs a system session."""
    if created_at > datetime.now(UTC) - SHORTEST:
        return
    await session.execute(
        update(DataRetention)
        .where(DataRetention.tenant_id == tenant_id, DataRetention.done_until >= created_at)
        .values(done_until=created_at - timedelta(microseconds=1))
        .execution_options(synchronize_session=False)
    )

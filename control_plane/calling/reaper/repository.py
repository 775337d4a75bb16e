"""The queries of the reaper: about the calls of all tenants."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection, Sequence
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from pydantic import ValidationError
from sqlalchemy import and_, or_, select, tuple_
from sqlalchemy.ext.asyncio import AsyncSession

from contracts.call_plan import CallLimits
from contracts.call_status import CallStatus
from contracts.versions import fault, read_object
from control_plane.calling.calls.models import Call
from control_plane.platform.database import Database, table_of

PAGE = 1_000
"""Few enough that reading them does not hold up other work of the process."""


class RunningCall(NamedTuple):
    id: UUID
    created_at: datetime
    end_requested_at: datetime | None


class WatchedCall(NamedTuple):
    """What decides whether a call has to be ended. ``limits`` are those of its plan."""

    id: UUID
    tenant_id: UUID
    status: str
    created_at: datetime
    due_at: datetime | None
    dialed_at: datetime | None
    answered_at: datetime | None
    dispatched_at: datetime | None
    dispatch_entry_id: str | None
    claimed_at: datetime | None
    started_at: datetime | None
    end_requested_at: datetime | None
    end_requested_reason: str | None
    applied_seq: int
    limits: CallLimits


async def running_calls(
    database: Database, queued_before: datetime
) -> AsyncIterator[Sequence[RunningCall]]:
    """The calls that are not over, in pages, the oldest first.

    Very many calls may be waiting to be dialed: of these, only those that were created before
    ``queued_before`` and those that are to end.

    Raises:
        DatabaseUnavailable: try again later.
    """
    call = table_of(Call)
    query = (
        select(call.c.id, call.c.created_at, call.c.end_requested_at)
        .where(
            call.c.ended_at.is_(None),
            or_(
                call.c.status != CallStatus.QUEUED.value,
                call.c.dialed_at.is_not(None),
                call.c.created_at < queued_before,
                call.c.end_requested_at.is_not(None),
            ),
        )
        .order_by(call.c.created_at, call.c.id)
        .limit(PAGE)
    )
    after: RunningCall | None = None
    while True:
        page = query
        if after is not None:
            last = and_(
                # The first condition alone can use the index.
                call.c.created_at >= after.created_at,
                tuple_(call.c.created_at, call.c.id) > (after.created_at, after.id),
            )
            page = query.where(last)
        async with database.system_statements() as session:
            found = [RunningCall(*row) for row in await session.execute(page)]
        if found:
            yield found
        if len(found) < PAGE:
            return
        after = found[-1]


async def watched_calls(
    session: AsyncSession, call_ids: Collection[UUID]
) -> tuple[list[WatchedCall], dict[UUID, str]]:
    """Those of the calls that are still not over, and why this release cannot read the plans of
    others, by their ids."""
    call = table_of(Call)
    columns = [call.c[name] for name in WatchedCall._fields if name != "limits"]
    rows = await session.execute(
        select(*columns, call.c.plan["limits"])
        .where(call.c.id.in_(call_ids), call.c.ended_at.is_(None))
        .order_by(call.c.created_at)
    )
    watched: list[WatchedCall] = []
    unreadable: dict[UUID, str] = {}
    for row in rows:
        try:
            watched.append(WatchedCall._make((*row[:-1], read_object(CallLimits, row[-1]))))
        except ValidationError as error:
            unreadable[row[0]] = fault(error)
    return watched, unreadable

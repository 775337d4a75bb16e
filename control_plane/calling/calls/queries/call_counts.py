"""How many calls a tenant has, by agent and status, without counting them.

Triggers on ``calls`` add a delta to every transaction that adds a call or changes its status
(revision 0015), so transactions never wait for one another and a rolled back one counts nothing.
The jobs process folds deltas into counts; the sum of both tables is exact at every moment.
"""

from __future__ import annotations

import asyncio
from functools import cache
from uuid import UUID

import structlog
from sqlalchemy import (
    ColumnElement,
    Identity,
    Select,
    bindparam,
    delete,
    func,
    select,
    tuple_,
    union_all,
)
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import Mapped, mapped_column

from contracts.call_status import CallStatus
from control_plane.platform.database import Base, Database
from control_plane.platform.errors import DatabaseUnavailable

FOLD_INTERVAL_SECONDS = 5.0
FOLDED_AT_ONCE = 10_000
_FOLDING_LOCK = 0x466F_6C64  # any number that nothing else locks
_log = structlog.get_logger(__name__)


class CallCount(Base):
    """Calls that were counted up to the last folding."""

    __tablename__ = "call_counts"

    tenant_id: Mapped[UUID] = mapped_column(primary_key=True)
    agent_id: Mapped[UUID] = mapped_column(primary_key=True)
    status: Mapped[str] = mapped_column(primary_key=True)
    calls: Mapped[int]


class CallCountDelta(Base):
    """What one statement changed since. Written by triggers only."""

    __tablename__ = "call_count_deltas"

    tenant_id: Mapped[UUID] = mapped_column(primary_key=True)
    position: Mapped[int] = mapped_column(Identity(always=True), primary_key=True)
    agent_id: Mapped[UUID]
    status: Mapped[str]
    calls: Mapped[int]


async def count_calls(
    session: AsyncSession, tenant_id: UUID, status: CallStatus | None, agent_id: UUID | None
) -> int:
    """How many calls fit the filters, as of the statement's snapshot."""
    wanted = {
        "tenant_id": tenant_id,
        "status": None if status is None else status.value,
        "agent_id": agent_id,
    }
    statement = _select_count(by_status=status is not None, by_agent=agent_id is not None)
    return int(await session.scalar(statement, wanted) or 0)


@cache
def _select_count(*, by_status: bool, by_agent: bool) -> Select[int]:
    """Made once: to make it anew took longer than to answer it."""

    def fitting(table: type[CallCount] | type[CallCountDelta]) -> list[ColumnElement[bool]]:
        filters = [table.tenant_id == bindparam("tenant_id")]
        if by_status:
            filters.append(table.status == bindparam("status"))
        if by_agent:
            filters.append(table.agent_id == bindparam("agent_id"))
        return filters

    counted = union_all(
        select(CallCount.calls).where(*fitting(CallCount)),
        select(CallCountDelta.calls).where(*fitting(CallCountDelta)),
    ).subquery()
    return select(func.coalesce(func.sum(counted.c.calls), 0))


async def fold_deltas(session: AsyncSession, limit: int = FOLDED_AT_ONCE) -> int:
    """Move up to ``limit`` deltas into the counts; how many it were. For jobs.

    Readers see the tables before or after it. Does nothing while another process folds.
    """
    if not await session.scalar(select(func.pg_try_advisory_xact_lock(_FOLDING_LOCK))):
        return 0
    key = tuple_(CallCountDelta.tenant_id, CallCountDelta.position)
    taken = (
        delete(CallCountDelta)
        .where(key.in_(select(CallCountDelta.tenant_id, CallCountDelta.position).limit(limit)))
        .returning(
            CallCountDelta.tenant_id,
            CallCountDelta.agent_id,
            CallCountDelta.status,
            CallCountDelta.calls,
        )
        .cte("taken")
    )
    group = (taken.c.tenant_id, taken.c.agent_id, taken.c.status)
    folding = insert(CallCount).from_select(
        ["tenant_id", "agent_id", "status", "calls"],
        select(*group, func.sum(taken.c.calls)).group_by(*group),
    )
    folded = (
        folding.on_conflict_do_update(
            index_elements=[CallCount.tenant_id, CallCount.agent_id, CallCount.status],
            set_={"calls": CallCount.calls + folding.excluded.calls},
        )
        .returning(CallCount.calls)
        .cte("folded")
    )
    count = select(func.count()).select_from(taken).add_cte(folded)
    return await session.scalar(count) or 0


async def keep_folding(database: Database) -> None:
    """Run ``fold_deltas`` until cancelled."""
    while True:
        try:
            async with database.system_session() as session:
                folded = await fold_deltas(session)
        except DatabaseUnavailable:
            _log.warning("folding_waits_for_database")
            folded = 0
        if folded < FOLDED_AT_ONCE:
            await asyncio.sleep(FOLD_INTERVAL_SECONDS)

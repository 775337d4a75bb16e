"""How many calls a tenant has, by agent and status, without counting them.

Triggers on ``calls`` write a delta in every transaction that adds a call or changes its status
(revision 0015), so that transactions never wait for each other and one that is rolled back counts
nothing. The jobs process folds the deltas into counts. The sum of both tables is always exact.
"""

from __future__ import annotations

from functools import cache
from uuid import UUID

from sqlalchemy import (
    ColumnElement,
    Select,
    bindparam,
    delete,
    func,
    select,
    text,
    tuple_,
    union_all,
)
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from contracts.call_status import CallStatus
from control_plane.calling.calls.models import CallCount, CallCountDelta

FOLDED_AT_ONCE = 10_000
_FOLDING_LOCK = 0x466F_6C64  # a number that nothing else locks


async def count_calls(
    session: AsyncSession, tenant_id: UUID, status: CallStatus | None, agent_id: UUID | None
) -> int:
    """How many calls match the filters; ``None`` matches every call."""
    wanted = {
        "tenant_id": tenant_id,
        "status": None if status is None else status.value,
        "agent_id": agent_id,
    }
    statement = _select_count(by_status=status is not None, by_agent=agent_id is not None)
    return int(await session.scalar(statement, wanted) or 0)


@cache
def _select_count(*, by_status: bool, by_agent: bool) -> Select[int]:
    """Kept, because building it for each request would take 0.7 ms of processor time, where a whole
    page of 50 calls takes 2.9 ms."""

    def matching(table: type[CallCount] | type[CallCountDelta]) -> list[ColumnElement[bool]]:
        filters = [table.tenant_id == bindparam("tenant_id")]
        if by_status:
            filters.append(table.status == bindparam("status"))
        if by_agent:
            filters.append(table.agent_id == bindparam("agent_id"))
        return filters

    counted = union_all(
        select(CallCount.calls).where(*matching(CallCount)),
        select(CallCountDelta.calls).where(*matching(CallCountDelta)),
    ).subquery()
    return select(func.coalesce(func.sum(counted.c.calls), 0))


async def has_deltas(session: AsyncSession) -> bool:
    """Whether there is anything to fold. For jobs."""
    return bool(await session.scalar(text("SELECT EXISTS (SELECT 1 FROM call_count_deltas)")))


async def fold_deltas(session: AsyncSession, limit: int = FOLDED_AT_ONCE) -> int:
    """Move up to ``limit`` deltas into the counts, and return how many were moved. For jobs.

    It is one statement, so readers see the tables before or after it. Does nothing while another
    process folds.
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

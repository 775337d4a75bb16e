"""Queries that show calls. All take the tenant."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any
from uuid import UUID

from sqlalchemy import Result, Row, Select, func, select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import undefer

from control_plane.calling.calls.models import Call, CallLogEntry, Segment, TurnLatencies
from control_plane.calling.calls.queries.call_pages import (
    CallFilter,
    Place,
    select_documents,
    select_fields,
    select_page,
)


async def find_call(
    session: AsyncSession, tenant_id: UUID, call_id: UUID, *, with_plan: bool = False
) -> Call | None:
    query = select(Call).where(Call.tenant_id == tenant_id, Call.id == call_id)
    if with_plan:
        query = query.options(undefer(Call.plan))
    found: Call | None = await session.scalar(query)
    return found


async def listed_fields(session: AsyncSession, tenant_id: UUID, call_id: UUID) -> dict[str, Any]:
    """What lists show of a call that exists."""
    parameters = {"tenant_id": tenant_id, "call_id": call_id}
    fields = await session.execute(select_fields(), parameters)
    return {str(key): value for key, value in fields.mappings().one().items()}


async def place_of_call(session: AsyncSession, tenant_id: UUID, call_id: UUID) -> Place | None:
    """Where a call stands in the lists."""
    query = select(Call.created_at, Call.id).where(Call.tenant_id == tenant_id, Call.id == call_id)
    found = (await session.execute(query)).one_or_none()
    return None if found is None else (found.created_at, found.id)


async def page_of_calls(
    session: AsyncSession, wanted: CallFilter, limit: int, offset: int
) -> Sequence[Row[Any]]:
    """``LISTED_COLUMNS`` of calls, newest first."""
    return await _page(session, select_page, wanted, limit, offset)


async def documents_of_page(
    session: AsyncSession, wanted: CallFilter, limit: int, offset: int
) -> Sequence[Row[Any]]:
    """``id`` and ``document``, the JSON text of a ``CallView``, of calls, newest first."""
    return await _page(session, select_documents, wanted, limit, offset)


async def _page(
    session: AsyncSession,
    statement: Callable[[frozenset[str]], Select[Any]],
    wanted: CallFilter,
    limit: int,
    offset: int,
) -> Sequence[Row[Any]]:
    parameters = wanted.parameters
    page: Result[Any] = await session.execute(
        statement(frozenset(parameters)), parameters | {"limit": limit, "offset": offset}
    )
    return page.all()


async def segments(
    session: AsyncSession, tenant_id: UUID, call_id: UUID
) -> list[tuple[Segment, TurnLatencies | None]]:
    """What was said, in order, each with its turn's latencies."""
    rows = await session.execute(
        select(Segment, TurnLatencies)
        .outerjoin(
            TurnLatencies,
            (TurnLatencies.call_id == Segment.call_id)
            & (TurnLatencies.sequence == Segment.sequence),
        )
        .where(Segment.tenant_id == tenant_id, Segment.call_id == call_id)
        .order_by(Segment.sequence)
    )
    return [(segment, latencies) for segment, latencies in rows]


async def page_of_events(
    session: AsyncSession, tenant_id: UUID, call_id: UUID, limit: int, offset: int
) -> tuple[Sequence[CallLogEntry], int]:
    """Lines of the call's event log, in the order in which they were written."""
    of_call = (CallLogEntry.tenant_id == tenant_id, CallLogEntry.call_id == call_id)
    total = await session.scalar(select(func.count()).select_from(CallLogEntry).where(*of_call))
    entries = await session.scalars(
        select(CallLogEntry)
        .where(*of_call)
        .order_by(CallLogEntry.position)
        .limit(limit)
        .offset(offset)
    )
    return entries.all(), total or 0


async def has_calls(session: AsyncSession, tenant_id: UUID) -> bool:
    any_call = select(Call.id).where(Call.tenant_id == tenant_id).limit(1)
    return await session.scalar(any_call) is not None

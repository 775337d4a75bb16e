"""Queries that show calls. All take the tenant."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Row, Uuid, any_, bindparam, func, select, tuple_
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import undefer

from contracts.call_status import CallStatus
from control_plane.calls.call_counts import count_calls
from control_plane.calls.call_fields import LISTED_COLUMNS, PARTICIPANT_COLUMNS
from control_plane.calls.models import Call, CallLogEntry, CallParticipant, Segment, TurnLatencies

Place = tuple[datetime, UUID]
"""Creation time and id of a call: its place in a list."""


async def find_call(
    session: AsyncSession, tenant_id: UUID, call_id: UUID, *, with_plan: bool = False
) -> Call | None:
    query = select(Call).where(Call.tenant_id == tenant_id, Call.id == call_id)
    if with_plan:
        query = query.options(undefer(Call.plan))
    found: Call | None = await session.scalar(query)
    return found


async def place_of_call(session: AsyncSession, tenant_id: UUID, call_id: UUID) -> Place | None:
    """Where a call stands in the lists."""
    query = select(Call.created_at, Call.id).where(Call.tenant_id == tenant_id, Call.id == call_id)
    found = (await session.execute(query)).one_or_none()
    return None if found is None else (found.created_at, found.id)


async def page_of_calls(
    session: AsyncSession,
    tenant_id: UUID,
    *,
    limit: int,
    offset: int,
    status: CallStatus | None,
    agent_id: UUID | None,
    after: Place | None,
) -> tuple[Sequence[Row[Any]], int]:
    """``LISTED_COLUMNS`` of calls, newest first, from behind ``after``, and how many calls fit the
    filters in all.

    One call more than ``limit`` is returned where there is one, to tell whether a page follows.
    """
    query = select(*LISTED_COLUMNS).where(Call.tenant_id == tenant_id)
    if status is not None:
        query = query.where(Call.status == status.value)
    if agent_id is not None:
        query = query.where(Call.agent_id == agent_id)
    if after is not None:
        query = query.where(tuple_(Call.created_at, Call.id) < after)
    calls = await session.execute(
        query.order_by(Call.created_at.desc(), Call.id.desc()).limit(limit + 1).offset(offset)
    )
    return calls.all(), await count_calls(session, tenant_id, status, agent_id)


async def participants_of(
    session: AsyncSession, tenant_id: UUID, call_ids: Sequence[UUID]
) -> Sequence[Row[Any]]:
    """``PARTICIPANT_COLUMNS`` of the calls' participants, in the order of their invitation."""
    wanted = bindparam("call_ids", call_ids, ARRAY(Uuid))  # one parameter, and so one statement
    found = await session.execute(
        select(*PARTICIPANT_COLUMNS)
        .where(CallParticipant.tenant_id == tenant_id, CallParticipant.call_id == any_(wanted))
        .order_by(CallParticipant.call_id, CallParticipant.position)
    )
    return found.all()


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

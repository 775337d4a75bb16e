"""The queries that lock or change calls, and those of jobs. None commits.

Queries behind what the API shows of calls are in ``queries/``.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime
from functools import cache
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import (
    BindParameter,
    DateTime,
    Select,
    Text,
    Update,
    Uuid,
    bindparam,
    exists,
    func,
    or_,
    select,
    update,
)
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import undefer

from contracts.call_status import CallStatus
from control_plane.calling.calls.models import Call, CallParticipant
from control_plane.platform.database import table_of


class Dispatched(NamedTuple):
    """A call was offered to the workers."""

    tenant_id: UUID
    call_id: UUID
    entry_id: str | None
    """On the dispatch stream; ``None`` if it waits for its tenant's turn."""
    at: datetime


async def locked_call(session: AsyncSession, tenant_id: UUID, call_id: UUID) -> Call | None:
    """The call with its plan, locked until the transaction ends."""
    found: Call | None = await session.scalar(
        select(Call)
        .where(Call.tenant_id == tenant_id, Call.id == call_id)
        .options(undefer(Call.plan))
        .with_for_update()
        .execution_options(populate_existing=True)
    )
    return found


async def locked_calls(
    session: AsyncSession, tenant_id: UUID, call_ids: Collection[UUID]
) -> Sequence[Call]:
    """These calls with their plans, locked until the transaction ends, in the order in which every
    transaction locks several calls."""
    found = await session.scalars(
        select(Call)
        .where(Call.tenant_id == tenant_id, Call.id.in_(call_ids))
        .order_by(Call.id)
        .options(undefer(Call.plan))
        .with_for_update()
        .execution_options(populate_existing=True)
    )
    return found.all()


async def call_exists(session: AsyncSession, call_id: UUID) -> bool:
    """Whether the call exists, whichever tenant it belongs to. Needs a system session."""
    return await session.scalar(select(Call.id).where(Call.id == call_id)) is not None


async def store_feedback(
    session: AsyncSession,
    tenant_id: UUID,
    call_id: UUID,
    feedback: dict[str, Any],
    *,
    created_with: UUID | None,
) -> bool:
    """Replace the feedback of the call. Returns whether there is such a call. There is none whose
    caller was erased: who wrote to it would not be found by another erasure.

    Args:
        created_with: only if this publishable key created it; ``None``: whoever did.
    """
    wanted = [Call.tenant_id == tenant_id, Call.id == call_id, Call.erased_at.is_(None)]
    if created_with is not None:
        wanted.append(Call.publishable_key_id == created_with)
    stored = await session.scalar(
        update(Call)
        .where(*wanted)
        .values(feedback=feedback)
        .returning(Call.id)
        .execution_options(synchronize_session=False)
    )
    return stored is not None


async def participants(
    session: AsyncSession, tenant_id: UUID, call_ids: Sequence[UUID]
) -> Sequence[CallParticipant]:
    """The participants of these calls, in the order in which they were invited."""
    found = await session.scalars(
        select(CallParticipant)
        .where(CallParticipant.tenant_id == tenant_id, CallParticipant.call_id.in_(call_ids))
        .order_by(CallParticipant.call_id, CallParticipant.position)
    )
    return found.all()


async def participant(
    session: AsyncSession, tenant_id: UUID, call_id: UUID, participant_id: UUID
) -> CallParticipant | None:
    found: CallParticipant | None = await session.scalar(
        select(CallParticipant).where(
            CallParticipant.tenant_id == tenant_id,
            CallParticipant.call_id == call_id,
            CallParticipant.id == participant_id,
        )
    )
    return found


async def record_dispatches(session: AsyncSession, dispatched: Sequence[Dispatched]) -> None:
    """Record that these calls, of any tenant, were dispatched. For jobs."""
    columns = zip(Dispatched._fields, zip(*dispatched, strict=True), strict=True)
    await session.execute(
        _record_dispatches(), {f"all_{name}": list(values) for name, values in columns}
    )


@cache
def _record_dispatches() -> Update:
    """One statement for any number of calls, built once.

    It spares 0.5 ms of processor time for each call beside an update by key; a whole
    ``POST /v1/calls`` took 10 ms on the same machine (``python -m bench.api_create``).
    """
    call = table_of(Call)
    lists: tuple[BindParameter[Any], ...] = (
        bindparam("all_tenant_id", type_=ARRAY(Uuid())),
        bindparam("all_call_id", type_=ARRAY(Uuid())),
        bindparam("all_entry_id", type_=ARRAY(Text())),
        bindparam("all_at", type_=ARRAY(DateTime(timezone=True))),
    )
    given = func.unnest(*lists).table_valued(*Dispatched._fields).render_derived()
    return (
        update(call)
        .where(call.c.tenant_id == given.c.tenant_id, call.c.id == given.c.call_id)
        .values(dispatched_at=given.c.at, dispatch_entry_id=given.c.entry_id)
    )


@cache
def _select_whether_a_call_is_open() -> Select[bool]:
    """Kept, because an installation without calls hardly asks anything else."""
    return select(exists().where(table_of(Call).c.ended_at.is_(None)))


async def any_open_call(session: AsyncSession) -> bool:
    """Whether any tenant has a call that is not over. For jobs."""
    return bool(await session.scalar(_select_whether_a_call_is_open()))


async def undispatched(
    session: AsyncSession, *, created_before: datetime, waiting_since: datetime
) -> Sequence[Call]:
    """Running calls of any tenant, with their plans, that were not dispatched yet. For jobs.

    A call that waits for a phone is not among them until the phone is answered.

    Args:
        waiting_since: calls that have waited for a worker since before this are left out.
    """
    found = await session.scalars(
        select(Call)
        .where(
            Call.ended_at.is_(None),
            Call.dispatched_at.is_(None),
            Call.claimed_at.is_(None),
            Call.created_at < created_before,
            func.coalesce(Call.answered_at, Call.created_at) > waiting_since,
            or_(Call.status == CallStatus.CONNECTING.value, Call.answered_at.is_not(None)),
        )
        .options(undefer(Call.plan))
        .order_by(Call.created_at)
        .limit(100)
    )
    return found.all()


async def request_ends_of_agent(
    session: AsyncSession, tenant_id: UUID, agent_id: UUID, at: datetime, reason: str
) -> Sequence[UUID]:
    """Mark every running call of the agent to be ended; returns their ids. Locks the calls in the
    order in which every transaction locks several calls."""
    running = (
        select(Call.id)
        .where(
            Call.tenant_id == tenant_id,
            Call.agent_id == agent_id,
            Call.ended_at.is_(None),
            Call.end_requested_at.is_(None),
        )
        .order_by(Call.id)
        .with_for_update()
    )
    marked = await session.scalars(
        update(Call)
        .where(Call.tenant_id == tenant_id, Call.id.in_(running))
        .values(end_requested_at=at, end_requested_reason=reason)
        .returning(Call.id)
        .execution_options(synchronize_session=False)
    )
    return marked.all()

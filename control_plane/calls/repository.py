"""Every query on calls that changes them or locks them. All take the tenant; none commits."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from sqlalchemy import or_, select, update
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import undefer

from contracts.call_plan import CallLimits
from contracts.call_status import CallStatus, ParticipantStatus
from control_plane.calls.models import Call, CallParticipant


async def locked_call(session: AsyncSession, tenant_id: UUID, call_id: UUID) -> Call | None:
    """The call with its plan, held against every other transaction until this one ends."""
    found: Call | None = await session.scalar(
        select(Call)
        .where(Call.tenant_id == tenant_id, Call.id == call_id)
        .options(undefer(Call.plan))
        .with_for_update()
        .execution_options(populate_existing=True)
    )
    return found


async def call_exists(session: AsyncSession, call_id: UUID) -> bool:
    """Whether any tenant has such a call. For jobs: it looks past the tenant."""
    return await session.scalar(select(Call.id).where(Call.id == call_id)) is not None


async def participants(
    session: AsyncSession, tenant_id: UUID, call_ids: Sequence[UUID]
) -> Sequence[CallParticipant]:
    """The participants of the given calls, in the order in which they were invited."""
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


async def complete_participants(session: AsyncSession, call: Call, at: datetime) -> None:
    """Nobody is in a call that is over."""
    await session.execute(
        update(CallParticipant)
        .where(
            CallParticipant.tenant_id == call.tenant_id,
            CallParticipant.call_id == call.id,
            CallParticipant.status != ParticipantStatus.COMPLETED.value,
        )
        .values(status=ParticipantStatus.COMPLETED.value, left_at=at)
    )


async def note_dispatch(
    session: AsyncSession, tenant_id: UUID, call_id: UUID, entry_id: str, at: datetime
) -> None:
    """The call's plan was offered to the workers as ``entry_id``."""
    await session.execute(
        update(Call)
        .where(Call.tenant_id == tenant_id, Call.id == call_id)
        .values(dispatched_at=at, dispatch_entry_id=entry_id)
    )


async def undispatched(session: AsyncSession, created_before: datetime) -> Sequence[Call]:
    """Running calls of any tenant, with their plans, that no worker was offered. For jobs.

    A call that waits for a phone is none of them until the phone is answered.
    """
    found = await session.scalars(
        select(Call)
        .where(
            Call.ended_at.is_(None),
            Call.dispatched_at.is_(None),
            Call.claimed_at.is_(None),
            Call.created_at < created_before,
            or_(Call.status == CallStatus.CONNECTING.value, Call.answered_at.is_not(None)),
        )
        .options(undefer(Call.plan))
        .order_by(Call.created_at)
        .limit(100)
    )
    return found.all()


async def running_calls(session: AsyncSession) -> list[tuple[Call, CallLimits]]:
    """Every tenant's calls that are not over, each with its limits. For jobs."""
    rows = await session.execute(
        select(Call, Call.plan["limits"]).where(Call.ended_at.is_(None)).order_by(Call.created_at)
    )
    return [(call, CallLimits.model_validate(limits)) for call, limits in rows]

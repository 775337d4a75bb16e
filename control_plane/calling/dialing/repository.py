"""Every query on the dialing queue. All take the tenant, except those for background jobs. None
commits.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from datetime import datetime
from functools import cache
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import (
    BindParameter,
    Select,
    bindparam,
    case,
    exists,
    func,
    or_,
    select,
    text,
    update,
)
from sqlalchemy.ext.asyncio import AsyncSession

from contracts.call_status import CallStatus, ParticipantStatus
from control_plane.calling.batches.models import BatchRow, CallBatch
from control_plane.calling.calls.models import Call, CallParticipant
from control_plane.calling.dialing.models import INBOUND, OUTBOUND, DialingJob, JobState
from control_plane.calling.pauses.models import AgentPause


class ActiveAttempt(NamedTuple):
    job: DialingJob
    call_is_over: bool
    leg_is_over: bool


async def note_due(session: AsyncSession, call: Call, due_at: datetime) -> None:
    """A phone of the call is to be dialed at ``due_at``."""
    await session.execute(
        update(Call)
        .where(Call.tenant_id == call.tenant_id, Call.id == call.id)
        # LEAST skips NULL.
        .values(due_at=func.least(Call.due_at, due_at))
        .execution_options(synchronize_session=False)
    )


async def locked_job(
    session: AsyncSession, tenant_id: UUID, participant_id: UUID
) -> DialingJob | None:
    """The job of a phone leg, locked. Lock its call first."""
    found: DialingJob | None = await session.scalar(
        select(DialingJob)
        .where(DialingJob.tenant_id == tenant_id, DialingJob.participant_id == participant_id)
        .with_for_update()
        .execution_options(populate_existing=True)
    )
    return found


async def inbound_job(
    session: AsyncSession, account_id: UUID, carrier_call_id: str
) -> DialingJob | None:
    """The leg of a carrier's call to one of our numbers. For background jobs."""
    found: DialingJob | None = await session.scalar(
        select(DialingJob).where(
            DialingJob.carrier_account_id == account_id,
            DialingJob.carrier_call_id == carrier_call_id,
        )
    )
    return found


async def active_inbound(session: AsyncSession, tenant_id: UUID, to_number: str) -> int:
    """How many people are calling the tenant's number now."""
    count = await session.scalar(
        select(func.count())
        .select_from(DialingJob)
        .where(
            DialingJob.tenant_id == tenant_id,
            DialingJob.state == JobState.ACTIVE,
            DialingJob.direction == INBOUND,
            DialingJob.to_number == to_number,
        )
    )
    return count or 0


async def has_work(session: AsyncSession, now: datetime) -> bool:
    """Whether a job of any tenant is active, due or to be given up. For background jobs."""
    return bool(await session.scalar(_select_whether_there_is_work(), {"now": now}))


@cache
def _select_whether_there_is_work() -> Select[bool]:
    """Kept, because an installation without phone calls asks nothing else, twice a second."""
    waiting = DialingJob.state == JobState.WAITING
    now: BindParameter[datetime] = bindparam("now")
    return select(
        or_(
            exists().where(DialingJob.state == JobState.ACTIVE),
            exists().where(waiting, DialingJob.due_at <= now),
            exists().where(waiting, DialingJob.give_up_at <= now),
        )
    )


async def tenants_with_due_jobs(session: AsyncSession, now: datetime) -> Sequence[UUID]:
    """Tenants that have something to dial. For background jobs."""
    found = await session.scalars(
        select(DialingJob.tenant_id)
        .where(DialingJob.state == JobState.WAITING, DialingJob.due_at <= now)
        .distinct()
    )
    return found.all()


async def hold_tenant(session: AsyncSession, tenant_id: UUID) -> bool:
    """Lock the tenant's queue for this transaction; ``False`` if another scheduler has it."""
    held = await session.scalar(
        text("SELECT pg_try_advisory_xact_lock(hashtextextended(:name, 0))"),
        {"name": f"dialing:{tenant_id}"},
    )
    return bool(held)


async def active_by_number(session: AsyncSession, tenant_id: UUID) -> Counter[str]:
    """How many legs that we dialed are active, by caller id."""
    active = await session.scalars(
        select(DialingJob.from_number).where(
            DialingJob.tenant_id == tenant_id,
            DialingJob.state == JobState.ACTIVE,
            DialingJob.direction == OUTBOUND,
        )
    )
    return Counter(active)


async def lock_due_jobs(
    session: AsyncSession,
    tenant_id: UUID,
    now: datetime,
    limit: int,
    *,
    without: Collection[UUID],
    full_numbers: Collection[str],
) -> Sequence[DialingJob]:
    """The next jobs to dial, by priority and then by how long they have been due.

    Jobs of a paused agent, or of a call that is over, are skipped.
    """
    found = await session.scalars(
        select(DialingJob)
        .join(Call, Call.id == DialingJob.call_id)
        .where(
            DialingJob.tenant_id == tenant_id,
            DialingJob.state == JobState.WAITING,
            DialingJob.due_at <= now,
            DialingJob.give_up_at > now,
            DialingJob.id.not_in(without),
            DialingJob.from_number.not_in(full_numbers),
            Call.tenant_id == tenant_id,
            Call.ended_at.is_(None),
            Call.end_requested_at.is_(None),
            ~exists().where(AgentPause.agent_id == Call.agent_id),
        )
        .order_by(DialingJob.priority.desc(), DialingJob.due_at, DialingJob.id)
        .limit(limit)
        .with_for_update(of=DialingJob, skip_locked=True)
        .execution_options(populate_existing=True)
    )
    return found.all()


async def has_active_leg(session: AsyncSession, call: Call) -> bool:
    """Whether a phone of the call is being dialed or in conversation."""
    found = await session.scalar(
        select(DialingJob.id)
        .where(
            DialingJob.tenant_id == call.tenant_id,
            DialingJob.call_id == call.id,
            DialingJob.state == JobState.ACTIVE,
        )
        .limit(1)
    )
    return found is not None


async def added_phones(
    session: AsyncSession, call: Call
) -> list[tuple[DialingJob, CallParticipant]]:
    """The phones that were added to the call and that the tenant pays for here."""
    rows = await session.execute(
        select(DialingJob, CallParticipant)
        .join(CallParticipant, CallParticipant.id == DialingJob.participant_id)
        .where(
            DialingJob.tenant_id == call.tenant_id,
            DialingJob.call_id == call.id,
            DialingJob.price_row.is_not(None),
        )
        .order_by(CallParticipant.position)
    )
    return [(job, participant) for job, participant in rows]


async def added_rates_micros_per_minute(
    session: AsyncSession, call_ids: Collection[UUID]
) -> dict[UUID, int]:
    """By call: what a minute costs of the added phones that are in it or being dialed. Those that
    wait cost nothing yet, and must not use up what the call itself needs. Calls without such phones
    are left out. For background jobs."""
    rows = await session.execute(
        select(DialingJob.call_id, func.sum(DialingJob.telecom_micros_per_minute))
        .where(
            DialingJob.call_id.in_(call_ids),
            DialingJob.price_row.is_not(None),
            DialingJob.state == JobState.ACTIVE,
        )
        .group_by(DialingJob.call_id)
    )
    return {call_id: int(rate) for call_id, rate in rows}


async def note_requested(session: AsyncSession, attempt_id: UUID, at: datetime) -> None:
    """The bridges were asked to make the attempt. For background jobs."""
    await session.execute(
        update(DialingJob).where(DialingJob.attempt_id == attempt_id).values(requested_at=at)
    )


async def active_attempts(session: AsyncSession) -> list[ActiveAttempt]:
    """The active attempts of all tenants. For background jobs."""
    rows = await session.execute(
        select(
            DialingJob,
            Call.ended_at.is_not(None),
            CallParticipant.status == ParticipantStatus.COMPLETED,
        )
        .join(Call, Call.id == DialingJob.call_id)
        .join(CallParticipant, CallParticipant.id == DialingJob.participant_id)
        .where(DialingJob.state == JobState.ACTIVE)
        .order_by(DialingJob.stage_at)
    )
    return [ActiveAttempt(job, call_is_over, is_over) for job, call_is_over, is_over in rows]


async def cancel_waiting_legs(session: AsyncSession, call: Call, at: datetime) -> None:
    """The call is over: its phones are not dialed (again)."""
    await session.execute(
        update(DialingJob)
        .where(
            DialingJob.tenant_id == call.tenant_id,
            DialingJob.call_id == call.id,
            DialingJob.state == JobState.WAITING,
        )
        .values(state=JobState.CANCELED, finished_at=at)
        .execution_options(synchronize_session=False)
    )


async def lapsed_jobs(session: AsyncSession, now: datetime, limit: int) -> Sequence[DialingJob]:
    """Jobs of any tenant that could not be dialed in time. For background jobs."""
    found = await session.scalars(
        select(DialingJob)
        .where(DialingJob.state == JobState.WAITING, DialingJob.give_up_at <= now)
        .order_by(DialingJob.give_up_at)
        .limit(limit)
    )
    return found.all()


async def is_stopped(session: AsyncSession, job: DialingJob) -> bool:
    """Whether canceling its batch has stopped the job while it was active."""
    found = await session.scalar(
        select(BatchRow.call_id)
        .join(CallBatch, CallBatch.id == BatchRow.batch_id)
        .where(
            BatchRow.tenant_id == job.tenant_id,
            BatchRow.call_id == job.call_id,
            CallBatch.tenant_id == job.tenant_id,
            # ``stop_dialing`` spares the phones of calls in progress.
            CallBatch.canceled_at == job.give_up_at,
        )
    )
    return found is not None


async def count_legs(session: AsyncSession, tenant_id: UUID) -> Counter[JobState]:
    """How many legs to dial there are in each state. A leg whose call is over counts as the call
    ended, but a phone that was not reached stays failed, whatever became of the others in its
    call."""
    state = case(
        (Call.ended_at.is_(None), DialingJob.state),
        (DialingJob.state == JobState.FAILED, JobState.FAILED),
        (Call.status == CallStatus.COMPLETED, JobState.COMPLETED),
        (Call.status == CallStatus.CANCELED, JobState.CANCELED),
        else_=JobState.FAILED,
    )
    rows = await session.execute(
        select(state, func.count())
        .select_from(DialingJob)
        .join(Call, Call.id == DialingJob.call_id)
        .where(
            DialingJob.tenant_id == tenant_id,
            DialingJob.direction == OUTBOUND,
            Call.tenant_id == tenant_id,
        )
        .group_by(state)
    )
    return Counter({JobState(name): count for name, count in rows})


async def our_number_in(session: AsyncSession, call: Call) -> str | None:
    """The tenant's number of the call's first phone; ``None`` if the call has no phone."""
    rows = await session.execute(
        select(DialingJob.direction, DialingJob.from_number, DialingJob.to_number)
        .where(DialingJob.tenant_id == call.tenant_id, DialingJob.call_id == call.id)
        .order_by(DialingJob.created_at)
        .limit(1)
    )
    first = rows.first()
    if first is None:
        return None
    ours: str = first.to_number if first.direction == INBOUND else first.from_number
    return ours

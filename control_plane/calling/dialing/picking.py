"""Picks what is dialed next, within a tenant's limits, in one transaction.

The transaction locks the tenant's queue while it counts and picks, so the limits hold however many
schedulers run.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from uuid import UUID, uuid4

from sqlalchemy.ext.asyncio import AsyncSession

from contracts.dialing import DialRequest, LegStage
from control_plane.calling.dialing import repository
from control_plane.calling.dialing.callee_zones import callee_zones
from control_plane.calling.dialing.models import DialingJob, JobState
from control_plane.calling.dialing.schedule import Openings
from control_plane.calling.do_not_call.repository import listed_numbers
from control_plane.calling.numbers.repository import numbers_of
from control_plane.calling.telecom.limits import may_spend_today
from control_plane.platform.settings import DialingSettings

TIME_TO_TAKE = timedelta(seconds=20)
"""How long an attempt is offered to the bridges before it goes back to the queue."""

AT_ONCE = 50
"""Most attempts that one transaction starts, so that tenants take turns."""

LOOKED_AT_ONCE = 100
"""Most jobs that one transaction looks at, so that it ends in time even if none of them may ring.
They then wait for their windows, and the next transaction looks at others."""


@dataclass
class Picked:
    requests: list[DialRequest] = field(default_factory=list)
    """To be offered to the bridges once the transaction has committed."""
    unwanted: list[DialingJob] = field(default_factory=list)
    """Still waiting; their numbers are now on the do-not-call list."""


async def pick_due(
    session: AsyncSession, tenant_id: UUID, settings: DialingSettings, now: datetime
) -> Picked:
    """Start attempts for the tenant's next due jobs, as many as its limits allow."""
    picked = Picked()
    if not await repository.hold_tenant(session, tenant_id):
        return picked
    if not await may_spend_today(session, tenant_id):
        return picked  # Until midnight, or until the tenant raises its cap.
    active = await repository.active_by_number(session, tenant_id)
    limits = {
        number.number: number.max_concurrent_calls or settings.calls_per_number
        for number in await numbers_of(session, tenant_id)
    }

    def is_full(number: str) -> bool:
        # A number that is deleted has no limit of its own, but jobs may still wait for it.
        return active[number] >= limits.get(number, settings.calls_per_number)

    places = min(settings.calls_per_tenant - active.total(), AT_ONCE)
    seen: set[UUID] = set()
    openings = Openings(now)
    while (limit := min(places - len(picked.requests), LOOKED_AT_ONCE - len(seen))) > 0:
        jobs = await repository.lock_due_jobs(
            session,
            tenant_id,
            now,
            limit,
            without=seen,
            full_numbers=[number for number in active if is_full(number)],
        )
        if not jobs:
            break
        seen.update(job.id for job in jobs)
        listed = await listed_numbers(session, tenant_id, {job.to_number for job in jobs})
        for job in jobs:
            if job.to_number in listed:
                picked.unwanted.append(job)
            elif not is_full(job.from_number) and await _may_ring(job, openings):
                active[job.from_number] += 1
                picked.requests.append(_start(job, now, settings))
    await session.flush()
    return picked


async def _may_ring(job: DialingJob, openings: Openings) -> bool:
    """``False`` if the window closed while the job waited: it then waits for the next window."""
    schedule = job.dial_schedule
    if schedule.window is None:
        return True
    opening = openings.next(schedule, await callee_zones(schedule, job.to_number))
    if opening == openings.earliest:
        return True
    job.due_at = opening or job.give_up_at
    return False


def _start(job: DialingJob, now: datetime, settings: DialingSettings) -> DialRequest:
    attempt_id = uuid4()
    job.state = JobState.ACTIVE
    job.attempts += 1
    job.attempt_id = attempt_id
    job.stage = LegStage.REQUESTED
    job.stage_at = now
    job.dial_before = now + TIME_TO_TAKE
    job.requested_at = None
    job.bridge_id = None
    return dial_request(job, settings)


def dial_request(job: DialingJob, settings: DialingSettings) -> DialRequest:
    """The request to the bridges for an active job's attempt."""
    assert job.attempt_id is not None
    assert job.dial_before is not None
    return DialRequest(
        attempt_id=job.attempt_id,
        telephony_leg_id=job.telephony_leg_id,
        call_id=job.call_id,
        tenant_id=job.tenant_id,
        participant_id=job.participant_id,
        carrier=job.carrier,
        to_number=job.to_number,
        from_number=job.from_number,
        ring_timeout_seconds=settings.ring_timeout_seconds,
        dial_before=job.dial_before,
        account_id=job.carrier_account_id,
        machine_detection=job.machine_detection,
    )

"""Reports about an attempt change its job, its participant and its call, in one transaction.

Every function here locks the call and then the job. It changes nothing if the job has moved on to
another attempt, so a report that comes twice, late or out of order does nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from contracts.call_status import CallStatus
from contracts.dial_outcome import DialOutcome
from contracts.dialing import STAGE_RANK, DialReport, DialRequest, LegStage, LostLeg
from contracts.end_reasons import EndReason
from contracts.money import billable_seconds
from control_plane.calling.calls import repository as calls
from control_plane.calling.calls.ending.call_end import end_call
from control_plane.calling.calls.events import dial_progress
from control_plane.calling.calls.events.event_log import log_event
from control_plane.calling.calls.events.metering import forget_cover
from control_plane.calling.calls.models import Call
from control_plane.calling.calls.plan_document import PlanDocument
from control_plane.calling.calls.transitions import Unreached
from control_plane.calling.dialing import repository
from control_plane.calling.dialing.callee_zones import callee_zones
from control_plane.calling.dialing.models import DialingJob, JobState
from control_plane.calling.dialing.schedule import next_opening
from control_plane.money.billing import service as billing
from control_plane.money.billing.reserve import FIRST_RESERVE_SECONDS
from control_plane.platform.database import storable
from control_plane.platform.link.dialing import NOBODY

BRIDGE_LOST = "nothing more came from the bridge that had dialed it"


class Unreachable(NamedTuple):
    call_id: UUID
    participant_id: UUID
    why: str
    """``busy``, or a sentence."""


@dataclass(frozen=True)
class AfterCommit:
    """What follows once the change is committed."""

    hang_up: tuple[str, UUID] | None = None
    """Bridge and attempt of a leg that is not wanted any more."""
    dispatch: PlanDocument | None = None
    """The plan of a call whose phone was answered, for a worker to claim."""
    reserve: PlanDocument | None = None
    """The plan of a call whose phone rings: a worker gets ready for it."""
    release: UUID | None = None
    """A call whose phone was not answered: the worker that got ready for it may forget it."""
    unreached: Unreachable | None = None
    """A phone that a running call has asked for and that will not come."""
    left: tuple[UUID, UUID] | None = None
    """Call and participant whose phone has hung up."""
    lost_carrier: str | None = None
    """Its carrier, if nobody hung up: its line was lost on our side."""
    lost_leg: LostLeg | None = None
    """A leg whose bridge is dead: its carrier may go on with it."""


NOTHING = AfterCommit()


async def apply_report(session: AsyncSession, report: DialReport) -> AfterCommit:
    """Record how far an attempt has come. Each stage counts once."""
    call = await calls.locked_call(session, report.tenant_id, report.call_id)
    job = await repository.locked_job(session, report.tenant_id, report.participant_id)
    stop = AfterCommit(hang_up=(report.bridge_id, report.attempt_id))
    is_running = report.stage is not LegStage.ENDED
    if call is None or job is None or job.attempt_id != report.attempt_id or job.stage is None:
        return stop if is_running else NOTHING
    if STAGE_RANK[report.stage] <= STAGE_RANK[job.stage]:
        return NOTHING
    if not is_running:
        return await _end_attempt(session, call, job, report)
    job.stage, job.stage_at, job.bridge_id = report.stage, report.occurred_at, report.bridge_id
    if not await _tell_call(session, call, job, report.stage, report.occurred_at):
        return stop
    if call.dispatched_at is not None:
        return NOTHING
    if report.stage is LegStage.ANSWERED:
        return AfterCommit(dispatch=call.plan_document())
    if report.stage is LegStage.RINGING:
        return AfterCommit(reserve=call.plan_document())
    return NOTHING


async def lose_attempt(session: AsyncSession, seen: DialingJob, at: datetime) -> AfterCommit:
    """No more reports will come about the attempt: it is over here, and is ended at its carrier.

    A phone that has not rung is dialed again if the rules allow. One that has rung is not: nobody
    is to be called twice because a bridge of ours died.
    """
    call, job = await _locked(session, seen)
    if job is None or job.attempt_id != seen.attempt_id or job.stage != seen.stage:
        return NOTHING  # A report has come since.
    lost_leg = _lost_leg(job)
    return replace(await _lose(session, call, job, at), lost_leg=lost_leg)


async def _lose(session: AsyncSession, call: Call, job: DialingJob, at: datetime) -> AfterCommit:
    if job.stage == LegStage.ANSWERED:
        return replace(_finish_conversation(call, job, at), lost_carrier=job.carrier)
    if job.is_inbound:
        return await _end_inbound(session, call, job, DialOutcome.FAILED, at)
    lost = DialOutcome.FAILED
    retry_at = None if job.stage == LegStage.RINGING else await _next_attempt(job, lost, at)
    job.last_outcome = lost.value
    if call.is_over:
        _close(job, JobState.CANCELED, at)
    else:
        if retry_at is not None:
            _put_back(job, retry_at)
        else:
            _close(job, JobState.FAILED, at)
        await dial_progress.leg_ended(
            session, call, job.participant_id, job.carrier, lost, at, retry_at, BRIDGE_LOST
        )
        if retry_at is not None:
            await _release_while_waiting(session, call)
    if retry_at is None and _is_with_workers(call):
        return _unreachable(job, lost.value)
    return await _released(session, call)


def _lost_leg(job: DialingJob) -> LostLeg | None:
    """``None`` of a carrier that needs no account: its adapter ends its legs with itself."""
    if job.carrier_account_id is None:
        return None
    assert job.attempt_id is not None
    return LostLeg(
        attempt_id=job.attempt_id,
        call_id=job.call_id,
        account_id=job.carrier_account_id,
        carrier_call_id=job.carrier_call_id,
    )


def _is_with_workers(call: Call) -> bool:
    return call.dispatched_at is not None and not call.is_over


def _unreachable(job: DialingJob, why: str) -> AfterCommit:
    return AfterCommit(unreached=Unreachable(job.call_id, job.participant_id, why))


async def _released(session: AsyncSession, call: Call) -> AfterCommit:
    """The worker may forget the call unless another of its phones still rings, or it runs."""
    if call.dispatched_at is not None or await repository.has_active_leg(session, call):
        return NOTHING
    return AfterCommit(release=call.id)


async def reserve_for_attempt(
    session: AsyncSession, request: DialRequest, at: datetime
) -> AfterCommit | None:
    """Hold the credit for the phone's first increment, unless the call holds it already.

    If the balance does not allow it, the job is closed, and the call ends if no other phone can
    still connect. The phone of a call that has ended since it was picked, or is about to end, is
    not dialed: its attempt is withdrawn like one that no bridge has taken.

    Returns:
        ``None`` if the phone may be dialed; else what follows.
    """
    call = await calls.locked_call(session, request.tenant_id, request.call_id)
    assert call is not None, "calls are never deleted"
    if call.is_over or call.end_requested_at is not None:
        return NOTHING
    rate = call.frozen_plan().highest_rate_micros_per_minute
    rates = await repository.added_rates_micros_per_minute(session, [call.id])
    rate += rates.get(call.id, 0)
    # A phone that is added comes into a call that has used up a part of its reserve.
    seconds = billable_seconds((call.metered_ms or 0) + FIRST_RESERVE_SECONDS * 1000)
    covered = await billing.extend(session, call.payer_id, call.id, seconds, rate)
    if covered is None:
        return NOTHING
    if covered >= seconds:
        if rates:
            forget_cover(call)
        return None
    job = await repository.locked_job(session, request.tenant_id, request.participant_id)
    if job is None or job.attempt_id != request.attempt_id:
        return NOTHING
    why = f"{job.to_number} is not dialed: the balance does not cover its first 30 seconds"
    return await _give_up(session, call, job, EndReason.INSUFFICIENT_FUNDS, why, at)


async def _release_while_waiting(session: AsyncSession, call: Call) -> None:
    """A call whose phones all wait holds no credit. Each attempt reserves again."""
    if call.status == CallStatus.QUEUED and not await repository.has_active_leg(session, call):
        await billing.empty_reserve(session, call.payer_id, call.id)


async def give_up_waiting(
    session: AsyncSession, seen: DialingJob, reason: EndReason, why: str, at: datetime
) -> AfterCommit:
    """Close a job that waits: it is not dialed (again)."""
    call, job = await _locked(session, seen)
    if job is None or job.state != JobState.WAITING:
        return NOTHING
    return await _give_up(session, call, job, reason, why, at)


async def _give_up(
    session: AsyncSession,
    call: Call,
    job: DialingJob,
    reason: EndReason,
    why: str,
    at: datetime,
) -> AfterCommit:
    """Close a job whose phone no carrier was asked to dial. A running call is told, because its
    caller may be waiting for the phone."""
    canceled = reason in (EndReason.DO_NOT_CALL, EndReason.CANCELED) or call.is_over
    _close(job, JobState.CANCELED if canceled else JobState.FAILED, at)
    await dial_progress.leg_given_up(session, call, job.participant_id, reason, why, at)
    return _unreachable(job, why) if _is_with_workers(call) else NOTHING


async def _locked(session: AsyncSession, seen: DialingJob) -> tuple[Call, DialingJob | None]:
    call = await calls.locked_call(session, seen.tenant_id, seen.call_id)
    assert call is not None, "calls are never deleted"
    return call, await repository.locked_job(session, seen.tenant_id, seen.participant_id)


async def _tell_call(
    session: AsyncSession, call: Call, job: DialingJob, stage: LegStage, at: datetime
) -> bool:
    """Whether the leg is still wanted."""
    tell = {
        LegStage.DIALING: dial_progress.leg_dialing,
        LegStage.RINGING: dial_progress.leg_ringing,
        LegStage.ANSWERED: dial_progress.leg_answered,
    }[stage]
    return await tell(session, call, job.participant_id, at)


async def _end_attempt(
    session: AsyncSession, call: Call, job: DialingJob, report: DialReport
) -> AfterCommit:
    at = report.occurred_at
    if job.is_inbound and job.stage != LegStage.ANSWERED:
        return await _end_inbound(session, call, job, report.outcome, at, report.detail)
    if report.bridge_id == NOBODY:
        return await _end_untaken(session, call, job, at)
    if job.stage == LegStage.ANSWERED and report.outcome is DialOutcome.FAILED:
        why = f"A phone's line failed: {storable(report.detail or 'its sound never came')}"
        log_event(session, call, "telephony", why, at, "warning")
        return replace(_finish_conversation(call, job, at), lost_carrier=job.carrier)
    if job.stage == LegStage.ANSWERED or report.outcome is None:
        return _finish_conversation(call, job, at)
    if job.stage == LegStage.REQUESTED:
        # The report of its beginning was lost, and the call's state table requires one.
        await dial_progress.leg_dialing(session, call, job.participant_id, at)
    job.last_outcome = report.outcome.value
    if call.is_over:
        _close(job, JobState.CANCELED, at)
        return await _released(session, call)
    retry_at = await _next_attempt(job, report.outcome, at)
    if retry_at is not None:
        _put_back(job, retry_at)
    else:
        _close(job, JobState.FAILED, at)
    await dial_progress.leg_ended(
        session, call, job.participant_id, job.carrier, report.outcome, at, retry_at
    )
    if retry_at is None and call.dispatched_at is not None:
        return _unreachable(job, report.outcome.value)
    await _release_while_waiting(session, call)
    return await _released(session, call)


async def _end_untaken(
    session: AsyncSession, call: Call, job: DialingJob, at: datetime
) -> AfterCommit:
    """No bridge has taken the attempt, so it does not count."""
    job.attempts -= 1
    if not call.is_over and await repository.is_stopped(session, job):
        why = f"{job.to_number} is not dialed: its batch was canceled"
        return await _give_up(session, call, job, EndReason.CANCELED, why, at)
    _close(job, JobState.CANCELED, at) if call.is_over else _put_back(job, job.due_at)
    await _release_while_waiting(session, call)
    return NOTHING


async def _end_inbound(
    session: AsyncSession,
    call: Call,
    job: DialingJob,
    outcome: DialOutcome | None,
    at: datetime,
    detail: str | None = None,
) -> AfterCommit:
    """A caller is gone before its sound arrived; without an outcome it hung up.

    Args:
        detail: what went wrong, in the carrier's words.
    """
    if call.started_at is not None:
        return _finish_conversation(call, job, at)
    gone = outcome or DialOutcome.CANCELED
    job.last_outcome = gone.value
    _close(job, JobState.CANCELED, at)
    why = None if detail is None else storable(detail)
    await end_call(session, call, Unreached(job.carrier, gone), None, at, why)
    return AfterCommit(release=call.id)


async def _next_attempt(job: DialingJob, outcome: DialOutcome, at: datetime) -> datetime | None:
    wait = job.retry_rules.wait_after(outcome, job.attempts)
    if wait is None:
        return None
    schedule = job.dial_schedule
    zones = () if schedule.window is None else await callee_zones(schedule, job.to_number)
    opening = next_opening(schedule, zones, at + wait)
    return opening if opening is not None and opening < job.give_up_at else None


def _finish_conversation(call: Call, job: DialingJob, at: datetime) -> AfterCommit:
    _close(job, JobState.COMPLETED, at)
    return NOTHING if call.is_over else AfterCommit(left=(call.id, job.participant_id))


def _put_back(job: DialingJob, due_at: datetime) -> None:
    job.state = JobState.WAITING
    job.due_at = due_at
    _forget_attempt(job)


def _close(job: DialingJob, state: JobState, at: datetime) -> None:
    job.state = state
    job.finished_at = at
    _forget_attempt(job)


def _forget_attempt(job: DialingJob) -> None:
    job.attempt_id = job.stage = job.stage_at = job.dial_before = job.requested_at = None
    job.bridge_id = None

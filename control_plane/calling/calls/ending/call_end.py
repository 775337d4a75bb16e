"""Ends calls. Nothing else makes a call terminal or makes its bill."""

from __future__ import annotations

import time
from collections.abc import Sequence
from datetime import UTC, datetime

import structlog
from sqlalchemy.ext.asyncio import AsyncSession

from contracts.call_status import CallStatus, Transport
from contracts.end_reasons import EndReason
from contracts.money import billable_seconds, usd
from control_plane.calling.calls import repository
from control_plane.calling.calls.connected_time import believed_ms
from control_plane.calling.calls.ending.added_phones import (
    measure_added_phones,
    served_with_phones,
)
from control_plane.calling.calls.ending.agent_failure import report_agent_failure
from control_plane.calling.calls.ending.served_agents import ServedAgent, in_words, served_agents
from control_plane.calling.calls.ending.settlement import settle_call
from control_plane.calling.calls.ending.time_limits import reason_of
from control_plane.calling.calls.events.event_log import log_event
from control_plane.calling.calls.events.presence import complete
from control_plane.calling.calls.models import Call, CallParticipant
from control_plane.calling.calls.outbox_payloads import add_call_failed
from control_plane.calling.calls.transitions import Effect, Ended, Unreached, transition
from control_plane.calling.dialing.repository import cancel_waiting_legs
from control_plane.calling.intelligence.scheduling import schedule_at_end
from control_plane.calling.recordings.tasks import enqueue_assembly_at_end
from control_plane.money.billing.service import Settlement
from control_plane.platform.database import after_commit
from telemetry.metrics import CALLS_ENDED
from telemetry.tracing import record_of_call

_log = structlog.get_logger(__name__)


async def end_call(
    session: AsyncSession,
    call: Call,
    reason: EndReason | Unreached,
    connected_ms: int | None,
    at: datetime,
    detail: str | None = None,
    participants: Sequence[CallParticipant] | None = None,
) -> bool:
    """End ``call``, settle it and enqueue the work that follows, all in the caller's transaction.

    Args:
        call: locked, with its plan loaded.
        reason: why it ends, or which phone could not be reached.
        connected_ms: the time to bill, as a worker reported it. More than is possible is neither
            recorded nor billed. ``None`` if no media ever connected.
        at: when it ended, with a time zone.
        detail: what went wrong, for the event log.
        participants: the call's participants, if they are loaded already.

    Returns:
        ``False`` if the call was already over; nothing is changed then.
    """
    started_ns = time.time_ns()
    cause = Ended(reason) if isinstance(reason, EndReason) else reason
    moved = transition(CallStatus(call.status), cause)
    if Effect.SETTLE not in moved.effects:
        return False
    plan = call.frozen_plan()
    if participants is None:
        participants = await repository.participants(session, call.tenant_id, [call.id])
    if isinstance(reason, EndReason):
        cause = Ended(reason_of(reason, plan))
    served = served_agents(plan, call.takeovers or ())
    if connected_ms is not None:
        connected_ms = _believed(session, call, connected_ms, plan.limits.max_duration_seconds)
    if connected_ms is not None and _has_added_phone(participants, len(plan.participants)):
        phones = await measure_added_phones(session, call, connected_ms)
        served = served_with_phones(served, phones)
    served_seconds = billable_seconds(connected_ms)
    call.status = moved.status.value
    call.end_reason = cause.end_reason
    call.ended_at = at
    call.client_address = None
    call.connected_ms = connected_ms
    settled = await settle_call(
        session, call, plan, served, served_seconds, at.astimezone(UTC).date()
    )
    complete(participants, at)
    if call.due_at is not None:
        await cancel_waiting_legs(session, call, at)
    failed = moved.status is CallStatus.FAILED
    log_event(
        session,
        call,
        "lifecycle",
        f"Call ended: {cause.end_reason}" + (f" ({detail})" if detail else ""),
        at,
        "error" if failed else "info",
    )
    _log_charge(session, call, served, served_seconds, settled)
    if isinstance(reason, EndReason):
        report_agent_failure(session, call, reason, detail)
    if Effect.SEND_CALL_FAILED in moved.effects:
        add_call_failed(session, call)
    await schedule_at_end(session, call)
    await enqueue_assembly_at_end(session, call)
    after_commit(session, lambda: _watch(call, reason, started_ns))
    _log.info(
        "call_ended",
        call_id=str(call.id),
        end_reason=cause.end_reason,
        status=moved.status.value,
        billable_seconds=settled.seconds,
        total_cost_micros=settled.charge_micros,
    )
    return True


def _log_charge(
    session: AsyncSession,
    call: Call,
    served: Sequence[ServedAgent],
    served_seconds: int,
    settled: Settlement,
) -> None:
    """How much another tenant pays is not told: that is between them and the installation."""
    is_own = call.payer_tenant_id is None
    amount = f"Charged ${usd(settled.charge_micros):.6f}" if is_own else "The tester pays"
    agents = f": {in_words(served, settled.seconds)}" if is_own and len(served) > 1 else ""
    now = datetime.now(UTC)
    log_event(session, call, "lifecycle", f"{amount} for {settled.seconds} seconds{agents}", now)
    if settled.seconds < served_seconds:
        log_event(
            session,
            call,
            "lifecycle",
            f"The balance did not cover another {served_seconds - settled.seconds} seconds, which "
            "are not charged",
            now,
            "warning",
        )


def _has_added_phone(participants: Sequence[CallParticipant], planned: int) -> bool:
    return any(
        each.transport == Transport.PSTN.value and each.position >= planned for each in participants
    )


def _watch(call: Call, reason: EndReason | Unreached, started_ns: int) -> None:
    ended = reason.value if isinstance(reason, EndReason) else f"carrier_{reason.outcome.value}"
    CALLS_ENDED.labels(ended).inc()
    attributes = {"end_reason": ended, "status": call.status}
    record_of_call("end call", call.id, started_ns, attributes)


def _believed(
    session: AsyncSession, call: Call, reported_ms: int, max_duration_seconds: int
) -> int:
    """``reported_ms`` as far as it is possible. The rest raises an alarm."""
    now = datetime.now(UTC)
    believed = believed_ms(call, reported_ms, now, max_duration_seconds)
    if believed < reported_ms:
        _log.error(
            "connected_time_not_believed",
            call_id=str(call.id),
            worker_id=call.worker_id,
            reported_ms=reported_ms,
            believed_ms=believed,
        )
        log_event(
            session,
            call,
            "lifecycle",
            f"The worker reported {reported_ms / 1000:,.1f} s of connected time, but the call can "
            f"have had {believed / 1000:,.1f} s at most: the rest is not billed",
            now,
            "error",
        )
    return believed


def billed_position_ms(
    has_started: bool, metered_ms: int | None, media_ms: int | None
) -> int | None:
    """The connected time to bill when the worker cannot report it: the furthest known position.

    Pure. ``None`` if no media ever connected.
    """
    known = [position for position in (metered_ms, media_ms) if position is not None]
    if known:
        return max(known)
    return 0 if has_started else None

"""What each worker event does to its call, in the transaction that moves the call's cursor.

``apply_events`` gets a call's events in order; the effects on the outside world that it returns
are carried out after the commit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import assert_never
from uuid import uuid4

from sqlalchemy import update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from contracts.call_status import CallStatus, ParticipantStatus
from contracts.commands import EndCall
from contracts.end_reasons import EndReason
from contracts.events import (
    CallEnded,
    CallEvent,
    CallMetered,
    CallStarted,
    LegJoined,
    LegLeft,
    Logged,
    RecordingStarted,
    RecordingStopped,
    RoomOpened,
    SlotsCollected,
    ToolCalled,
    TranscriptSegment,
    TurnMeasured,
    UsageReported,
)
from control_plane.billing import service as billing
from control_plane.billing.reserve import reserve_seconds_needed
from control_plane.calls.ending import end_call
from control_plane.calls.event_log import Level, log_event
from control_plane.calls.event_order import Verdict, verdict
from control_plane.calls.models import Call, CallParticipant, Segment, TurnLatencies
from control_plane.calls.storable_text import storable
from control_plane.calls.transitions import Cause, Claimed, Effect, Started, transition
from control_plane.recordings.applying import apply_recording_event
from pipelines.phrases import farewell


@dataclass(frozen=True)
class WorkerToStop:
    """Send ``command`` to the worker that reported the event."""

    worker_id: str
    command: EndCall


@dataclass
class Outcome:
    """``waiting`` are events behind a gap, to be tried again."""

    waiting: list[CallEvent]
    stop: WorkerToStop | None = None


async def apply_events(session: AsyncSession, call: Call, events: Sequence[CallEvent]) -> Outcome:
    """Apply those of ``events`` whose turn it is, each exactly once, and move the cursor.

    ``call`` is locked, with its plan loaded. Events of a call that is over still add to its
    transcript and its log, but change neither status nor bill.
    """
    outcome = Outcome(waiting=[])
    for event in sorted(events, key=lambda event: event.seq):
        match verdict(call.applied_seq, event.seq):
            case Verdict.APPLY:
                outcome.stop = await _apply(session, call, event) or outcome.stop
                call.applied_seq = event.seq
            case Verdict.DUPLICATE:
                outcome.stop = _stop_if_over(call, event) or outcome.stop
            case Verdict.GAP:
                outcome.waiting.append(event)
    await session.flush()
    return outcome


async def _apply(session: AsyncSession, call: Call, event: CallEvent) -> WorkerToStop | None:
    match event.body:
        case RoomOpened():
            return _move(session, call, event, Claimed())
        case CallStarted(participant_id=participant_id):
            stop = _move(session, call, event, Started())
            await _join(session, call, event, participant_id)
            return stop
        case LegJoined(participant_id=participant_id):
            await _join(session, call, event, participant_id)
            log_event(session, call, "lifecycle", "A participant joined", event.occurred_at)
        case LegLeft() as left:
            await _leave(session, call, event, left)
        case TranscriptSegment() as segment:
            await _add_segment(session, call, segment)
        case TurnMeasured() as turn:
            await _add_latencies(session, call, turn)
        case UsageReported() as usage:
            key = f"{usage.channel}/{usage.provider}/{usage.model}"
            totals = usage.model_dump(exclude={"type", "channel", "provider", "model"})
            call.usage = call.usage | {key: totals}
        case ToolCalled() as tool:
            _log_tool(session, call, event, tool)
        case SlotsCollected(slots=slots):
            call.collected_slots = {storable(k): storable(v) for k, v in slots.items()}
        case RecordingStarted() | RecordingStopped() as recording:
            await apply_recording_event(session, call, event, recording)
        case CallMetered(connected_ms=connected_ms):
            return await _meter(session, call, event, connected_ms)
        case Logged(level=level, message=message):
            log_event(session, call, "runtime", storable(message), event.occurred_at, level)
        case CallEnded() as ended:
            await _end(session, call, event, ended)
        case _:
            assert_never(event.body)
    return None


def _move(session: AsyncSession, call: Call, event: CallEvent, cause: Cause) -> WorkerToStop | None:
    moved = transition(CallStatus(call.status), cause)
    call.status = moved.status.value
    if Effect.NOTE_CLAIM in moved.effects:
        call.claimed_at = event.occurred_at
        call.worker_id = event.worker_id
        log_event(session, call, "lifecycle", "A worker opened the room", event.occurred_at)
    if Effect.START_METER in moved.effects:
        call.started_at = event.occurred_at
        call.metered_ms = call.metered_ms or 0
        log_event(session, call, "lifecycle", "Call started", event.occurred_at)
    return _stop_if_over(call, event)


def _stop_if_over(call: Call, event: CallEvent) -> WorkerToStop | None:
    """A worker that reports a running call that is over has to be told."""
    if not call.is_over or not isinstance(event.body, RoomOpened | CallStarted | CallMetered):
        return None
    # A carrier's reason is none that a worker knows; the record keeps it.
    reasons = {reason.value: reason for reason in EndReason}
    reason = reasons.get(call.end_reason or "", EndReason.NORMAL_HANGUP)
    return WorkerToStop(event.worker_id, EndCall(end_reason=reason))


async def _join(
    session: AsyncSession, call: Call, event: CallEvent, participant_id: object
) -> None:
    if call.is_over:
        return
    await session.execute(
        update(CallParticipant)
        .where(
            CallParticipant.tenant_id == call.tenant_id,
            CallParticipant.call_id == call.id,
            CallParticipant.id == participant_id,
        )
        .values(status=ParticipantStatus.CONNECTED.value, joined_at=event.occurred_at, left_at=None)
    )


async def _leave(session: AsyncSession, call: Call, event: CallEvent, left: LegLeft) -> None:
    await session.execute(
        update(CallParticipant)
        .where(
            CallParticipant.tenant_id == call.tenant_id,
            CallParticipant.call_id == call.id,
            CallParticipant.id == left.participant_id,
        )
        .values(status=ParticipantStatus.COMPLETED.value, left_at=event.occurred_at)
    )
    message = {
        "left": "A participant left",
        "connection_lost": "A participant's connection was lost",
        "call_ended": "A participant was disconnected at the end of the call",
    }[left.cause]
    level: Level = "warning" if left.cause == "connection_lost" else "info"
    log_event(session, call, "lifecycle", message, event.occurred_at, level)


async def _add_segment(session: AsyncSession, call: Call, segment: TranscriptSegment) -> None:
    await session.execute(
        insert(Segment)
        .values(
            id=uuid4(),
            call_id=call.id,
            tenant_id=call.tenant_id,
            sequence=segment.sequence,
            speaker=segment.speaker,
            text=storable(segment.text),
            started_at_ms=segment.started_at_ms,
            ended_at_ms=segment.ended_at_ms,
            interrupted=segment.interrupted,
        )
        .on_conflict_do_nothing()
    )


async def _add_latencies(session: AsyncSession, call: Call, turn: TurnMeasured) -> None:
    values = turn.model_dump(exclude={"type"}) | {"call_id": call.id, "tenant_id": call.tenant_id}
    await session.execute(insert(TurnLatencies).values(**values).on_conflict_do_nothing())


def _log_tool(session: AsyncSession, call: Call, event: CallEvent, tool: ToolCalled) -> None:
    outcome = "failed" if tool.is_error else "was called"
    output = f": {storable(tool.output)}" if tool.output else ""
    log_event(
        session,
        call,
        "runtime",
        f"Tool {storable(tool.name)} {outcome}{output}",
        event.occurred_at,
        "warning" if tool.is_error else "info",
    )


async def _meter(
    session: AsyncSession, call: Call, event: CallEvent, connected_ms: int
) -> WorkerToStop | None:
    """Keep the reserve ahead of the meter; a tenant who cannot pay for more is said goodbye to.

    The command is sent again with each reading until the call ends: it may get lost, and a worker
    that is ending a call ignores another end.
    """
    if call.is_over:
        return _stop_if_over(call, event)
    call.metered_ms = max(call.metered_ms or 0, connected_ms)
    plan = call.frozen_plan()
    covered = await billing.extend(
        session,
        call.tenant_id,
        call.id,
        reserve_seconds_needed(connected_ms),
        plan.rate_micros_per_minute,
    )
    if covered:
        return None
    reason = EndReason.INSUFFICIENT_FUNDS
    if call.end_requested_at is None:
        call.end_requested_at = event.occurred_at
        call.end_requested_reason = reason.value
        log_event(
            session,
            call,
            "billing",
            "The balance does not allow another 30 seconds: the agent says goodbye",
            event.occurred_at,
            "warning",
        )
    return WorkerToStop(
        event.worker_id, EndCall(end_reason=reason, farewell=farewell(plan, reason))
    )


async def _end(session: AsyncSession, call: Call, event: CallEvent, ended: CallEnded) -> None:
    detail = None if ended.detail is None else storable(ended.detail)
    changed = await end_call(
        session, call, ended.end_reason, ended.connected_ms, event.occurred_at, detail
    )
    if not changed:
        log_event(
            session,
            call,
            "lifecycle",
            f"The worker reported the end too late to count: {ended.end_reason.value}",
            event.occurred_at,
            "warning",
        )

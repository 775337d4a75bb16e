"""What each worker event does to its call, in the transaction that moves the call's cursor.

``apply_events`` gets a call's events in order; the effects on the outside world that it returns
are carried out after the commit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import assert_never

from sqlalchemy.ext.asyncio import AsyncSession

from contracts.call_status import CallStatus
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
from control_plane.calling.calls.ending.call_end import end_call
from control_plane.calling.calls.events import presence
from control_plane.calling.calls.events.call_group import CallGroup
from control_plane.calling.calls.events.envelope import Verdict, verdict
from control_plane.calling.calls.events.event_log import log_event
from control_plane.calling.calls.events.metering import meter
from control_plane.calling.calls.models import Call, CallParticipant
from control_plane.calling.calls.outbox_payloads import add_call_started
from control_plane.calling.calls.transitions import Claimed, Effect, Started, transition
from control_plane.calling.intelligence.scheduling import schedule_for_late_segments
from control_plane.calling.recordings.recording_events import apply_recording_event
from control_plane.platform.database import storable


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


async def apply_events(
    session: AsyncSession, group: CallGroup, call: Call, events: Sequence[CallEvent]
) -> Outcome:
    """Apply those of ``events`` whose turn it is, each exactly once, and move the cursor.

    ``call`` is one of ``group``, whose gathered rows the caller inserts. Events of a call that is
    over still add to its transcript and its log, but change neither status nor bill.
    """
    outcome = Outcome(waiting=[])
    was_over = call.is_over
    has_late_words = False
    for event in sorted(events, key=lambda event: event.seq):
        match verdict(call.applied_seq, event.seq):
            case Verdict.APPLY:
                outcome.stop = await _apply(session, group, call, event) or outcome.stop
                call.applied_seq = event.seq
                has_late_words |= was_over and isinstance(
                    event.body, TranscriptSegment | SlotsCollected
                )
            case Verdict.DUPLICATE:
                outcome.stop = _stop_if_over(call, event) or outcome.stop
            case Verdict.GAP:
                outcome.waiting.append(event)
    if has_late_words:
        await schedule_for_late_segments(session, call)
    return outcome


async def _apply(
    session: AsyncSession, group: CallGroup, call: Call, event: CallEvent
) -> WorkerToStop | None:
    at = event.occurred_at
    people = group.people.get(call.id, {})
    match event.body:
        case TranscriptSegment() as said:
            group.rows.add_segment(call, said)
        case TurnMeasured() as turn:
            group.rows.add_latencies(call, turn)
        case CallMetered(connected_ms=connected_ms):
            return await _meter(session, call, event, connected_ms)
        case RoomOpened():
            return _claim(session, call, event)
        case CallStarted(participant_id=participant_id):
            return _start(session, call, event, people.get(participant_id))
        case LegJoined(participant_id=participant_id):
            presence.join(session, call, people.get(participant_id), at)
            log_event(session, call, "lifecycle", "A participant joined", at)
        case LegLeft(participant_id=participant_id) as left:
            presence.leave(session, call, people.get(participant_id), left, at)
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
        case Logged(level=level, message=message):
            log_event(session, call, "runtime", storable(message), at, level)
        case CallEnded() as ended:
            await _end(session, group, call, event, ended)
        case _:
            assert_never(event.body)
    return None


def _claim(session: AsyncSession, call: Call, event: CallEvent) -> WorkerToStop | None:
    moved = transition(CallStatus(call.status), Claimed())
    call.status = moved.status.value
    if Effect.NOTE_CLAIM in moved.effects:
        call.claimed_at = event.occurred_at
        call.worker_id = event.worker_id
        log_event(session, call, "lifecycle", "A worker opened the room", event.occurred_at)
    return _stop_if_over(call, event)


def _start(
    session: AsyncSession, call: Call, event: CallEvent, first: CallParticipant | None
) -> WorkerToStop | None:
    at = event.occurred_at
    moved = transition(CallStatus(call.status), Started())
    call.status = moved.status.value
    if Effect.START_METER in moved.effects:
        call.started_at = at
        call.metered_ms = call.metered_ms or 0
        log_event(session, call, "lifecycle", "Call started", at)
    if Effect.TELL_STARTED in moved.effects:
        add_call_started(session, call, first, at)
    presence.join(session, call, first, at)
    return _stop_if_over(call, event)


def _stop_if_over(call: Call, event: CallEvent) -> WorkerToStop | None:
    """A worker that reports a running call that is over has to be told."""
    if not call.is_over or not isinstance(event.body, RoomOpened | CallStarted | CallMetered):
        return None
    # A carrier's reason is none that a worker knows; the record keeps it.
    reasons = {reason.value: reason for reason in EndReason}
    reason = reasons.get(call.end_reason or "", EndReason.NORMAL_HANGUP)
    return WorkerToStop(event.worker_id, EndCall(end_reason=reason))


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
    if call.is_over:
        return _stop_if_over(call, event)
    goodbye = await meter(session, call, connected_ms, event.occurred_at)
    return None if goodbye is None else WorkerToStop(event.worker_id, goodbye)


async def _end(
    session: AsyncSession,
    group: CallGroup,
    call: Call,
    event: CallEvent,
    ended: CallEnded,
) -> None:
    # What follows the end may read what was said.
    await group.rows.insert(session)
    with session.no_autoflush:
        changed = await end_call(
            session,
            call,
            ended.end_reason,
            ended.connected_ms,
            event.occurred_at,
            None if ended.detail is None else storable(ended.detail),
            people=list(group.people.get(call.id, {}).values()),
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

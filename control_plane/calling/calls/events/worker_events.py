"""What each event of a worker does to its call.

The changes are made in the transaction that also moves the call's cursor. Commands to workers are
returned, to be sent after the commit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import assert_never

from sqlalchemy.ext.asyncio import AsyncSession

from contracts.call_status import CallStatus
from contracts.commands import EndCall, ExtendFunds
from contracts.dial_outcome import DialOutcome
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
from control_plane.calling.calls.ending.actual_cost import actual_cost_micros
from control_plane.calling.calls.ending.call_end import end_call
from control_plane.calling.calls.events import presence
from control_plane.calling.calls.events.call_group import CallGroup
from control_plane.calling.calls.events.envelope import Verdict, verdict
from control_plane.calling.calls.events.event_log import log_event
from control_plane.calling.calls.events.metering import meter
from control_plane.calling.calls.events.repository import add_parked_event
from control_plane.calling.calls.events.takeovers import note_takeover
from control_plane.calling.calls.models import Call, CallParticipant
from control_plane.calling.calls.outbox_payloads import add_call_started
from control_plane.calling.calls.transitions import (
    Claimed,
    Effect,
    Started,
    Unreached,
    transition,
)
from control_plane.calling.intelligence.scheduling import schedule_for_late_segments
from control_plane.calling.recordings.recording_events import apply_recording_event
from control_plane.calling.retention import repository as retention
from control_plane.calling.transfers.asking import ask_for_phone
from control_plane.platform.database import storable

_OF_A_RUNNING_CALL = RoomOpened | CallStarted | CallMetered
"""A worker that sends one of these for a call that is over does not know that yet."""
_NOT_BELIEVED = "more connected time than the call can have had; the rest is not billed"


@dataclass(frozen=True)
class Answer:
    """Send ``command`` to the worker that reported the event."""

    worker_id: str
    command: EndCall | ExtendFunds


@dataclass
class Outcome:
    """``waiting`` holds the events behind a gap, to be tried again."""

    waiting: list[CallEvent]
    answer: Answer | None = None


async def apply_events(
    session: AsyncSession, group: CallGroup, call: Call, events: Sequence[CallEvent]
) -> Outcome:
    """Apply the events whose turn it is, each exactly once, and move the call's cursor.

    Events of a call that is over are still added to its transcript, its log and its actual cost,
    but change neither its status nor its bill.

    Args:
        group: the group that ``call`` belongs to; the caller inserts its pending rows.
        events: in any order.
    """
    outcome = Outcome(waiting=[])
    was_over = call.is_over
    is_late = has_late_segments = False
    for event in sorted(events, key=lambda event: event.seq):
        match verdict(call.applied_seq, event.seq):
            case Verdict.APPLY:
                outcome.answer = await _apply(session, group, call, event) or outcome.answer
                call.applied_seq = event.seq
                is_late |= was_over
                has_late_segments |= (
                    was_over
                    and call.erased_at is None
                    and isinstance(event.body, TranscriptSegment | SlotsCollected)
                )
            case Verdict.DUPLICATE:
                if call.is_over and isinstance(event.body, _OF_A_RUNNING_CALL):
                    outcome.answer = _stop(call, event)
            case Verdict.GAP:
                outcome.waiting.append(event)
    if has_late_segments:
        await schedule_for_late_segments(session, call)
    if is_late:
        await retention.look_again(session, call.tenant_id, call.created_at)
    return outcome


async def apply_late(
    session: AsyncSession, group: CallGroup, call: Call, event: CallEvent
) -> Answer | None:
    """Apply an event that was parked when it was its turn. The cursor moves only if it is its turn
    now, because the call did not exist then."""
    was_over = call.is_over
    answer = await _apply(session, group, call, event)
    if verdict(call.applied_seq, event.seq) is Verdict.APPLY:
        call.applied_seq = event.seq
    if (
        was_over
        and call.erased_at is None
        and isinstance(event.body, TranscriptSegment | SlotsCollected)
    ):
        await schedule_for_late_segments(session, call)
    if was_over:
        await retention.look_again(session, call.tenant_id, call.created_at)
    return answer


async def _apply(
    session: AsyncSession, group: CallGroup, call: Call, event: CallEvent
) -> Answer | None:
    if call.erased_at is not None:
        # The worker may still send what was said. It must not come back.
        return _stop(call, event) if isinstance(event.body, _OF_A_RUNNING_CALL) else None
    at = event.occurred_at
    participants = group.participants.get(call.id, {})
    match event.body:
        case TranscriptSegment() as said:
            group.rows.add_segment(call, said)
        case TurnMeasured() as turn:
            group.rows.add_latencies(call, turn)
        case CallMetered(connected_ms=connected_ms, agent_id=agent_id, phone=phone):
            if phone is not None:
                await ask_for_phone(session, call, phone)
            if agent_id is not None and not call.is_over:
                note_takeover(session, call, agent_id, connected_ms, at)
            return await _meter(session, group, call, event, connected_ms)
        case RoomOpened():
            return _claim(session, call, event)
        case CallStarted(participant_id=participant_id):
            return await _start(session, group, call, event, participants.get(participant_id))
        case LegJoined(participant_id=participant_id):
            presence.join(session, call, participants.get(participant_id), at)
            log_event(session, call, "lifecycle", "A participant joined", at)
        case LegLeft(participant_id=participant_id) as left:
            presence.leave(session, call, participants.get(participant_id), left, at)
        case UsageReported() as usage:
            key = f"{usage.channel}/{usage.provider}/{usage.model}"
            totals = usage.model_dump(exclude={"type", "channel", "provider", "model"})
            call.usage = call.usage | {key: totals}
            if call.is_over:
                call.provider_cost_actual_micros = actual_cost_micros(
                    call.frozen_plan(), call.usage
                )
        case ToolCalled() as tool:
            _log_tool(session, call, event, tool)
        case SlotsCollected(slots=slots):
            call.collected_slots = {storable(k): storable(v) for k, v in slots.items()}
        case RecordingStarted() | RecordingStopped() as recording:
            await apply_recording_event(session, call, event, recording)
        case Logged() as line:
            _log_line(session, call, event, line)
        case CallEnded() as ended:
            await _end(session, group, call, event, ended)
        case _:
            assert_never(event.body)
    return None


def _claim(session: AsyncSession, call: Call, event: CallEvent) -> Answer | None:
    moved = transition(CallStatus(call.status), Claimed())
    call.status = moved.status.value
    if Effect.NOTE_CLAIM in moved.effects:
        call.claimed_at = event.occurred_at
        call.worker_id = event.worker_id
        log_event(session, call, "lifecycle", "A worker opened the room", event.occurred_at)
    return _stop(call, event) if Effect.STOP_WORKER in moved.effects else None


async def _start(
    session: AsyncSession,
    group: CallGroup,
    call: Call,
    event: CallEvent,
    first: CallParticipant | None,
) -> Answer | None:
    at = event.occurred_at
    moved = transition(CallStatus(call.status), Started())
    call.status = moved.status.value
    if Effect.START_METER in moved.effects:
        call.started_at = at
        log_event(session, call, "lifecycle", "Call started", at)
    if Effect.SEND_CALL_STARTED in moved.effects:
        add_call_started(session, call, first, at)
    presence.join(session, call, first, at)
    return await _meter(session, group, call, event, 0)


def _stop(call: Call, event: CallEvent) -> Answer:
    """The command for a worker that still runs a call that is over."""
    # Workers do not know the end reasons that name a carrier; only the record has those.
    reasons = {reason.value: reason for reason in EndReason}
    reason = reasons.get(call.end_reason or "", EndReason.NORMAL_HANGUP)
    return Answer(event.worker_id, EndCall(end_reason=reason))


def _log_tool(session: AsyncSession, call: Call, event: CallEvent, tool: ToolCalled) -> None:
    outcome = "failed" if tool.is_error else "was called"
    if tool.duration_ms:
        outcome += f" and took {tool.duration_ms} ms"
    output = f": {storable(tool.output)}" if tool.output else ""
    log_event(
        session,
        call,
        "runtime",
        f"Tool {storable(tool.name)} {outcome}{output}",
        event.occurred_at,
        "warning" if tool.is_error else "info",
    )


def _log_line(session: AsyncSession, call: Call, event: CallEvent, line: Logged) -> None:
    keys = None if line.keys is None else line.keys.model_dump(mode="json")
    switch = None
    if line.switch is not None:
        switch = {
            name: storable(value) if isinstance(value, str) else value
            for name, value in line.switch.model_dump(mode="json").items()
        }
    message = storable(line.message)
    log_event(session, call, "runtime", message, event.occurred_at, line.level, keys, switch)


async def _meter(
    session: AsyncSession, group: CallGroup, call: Call, event: CallEvent, connected_ms: int
) -> Answer | None:
    if call.is_over:
        return _stop(call, event)
    added = group.added_rates.get(call.id, 0)
    command = await meter(session, call, connected_ms, event.occurred_at, datetime.now(UTC), added)
    return None if command is None else Answer(event.worker_id, command)


def _reason_of(ended: CallEnded) -> EndReason | Unreached:
    if ended.lost_carrier is None:
        return ended.end_reason
    return Unreached(storable(ended.lost_carrier), DialOutcome.FAILED)


async def _end(
    session: AsyncSession,
    group: CallGroup,
    call: Call,
    event: CallEvent,
    ended: CallEnded,
) -> None:
    if call.started_at is None:
        # Nothing is left to analyse, so the webhook with its transcript is written at once.
        await group.rows.insert(session)
    with session.no_autoflush:
        changed = await end_call(
            session,
            call,
            _reason_of(ended),
            ended.connected_ms,
            event.occurred_at,
            None if ended.detail is None else storable(ended.detail),
            participants=list(group.participants.get(call.id, {}).values()),
        )
    if changed and call.connected_ms != ended.connected_ms:
        await add_parked_event(
            session, f"connected-time:{call.id}", _NOT_BELIEVED, event.model_dump_json()
        )
    if not changed:
        # Who asks for the end waits a few seconds for the worker, whose report may come later.
        was_asked = call.end_requested_at is not None
        log_event(
            session,
            call,
            "lifecycle",
            f"The worker reported the end after the call was over: {ended.end_reason.value}",
            event.occurred_at,
            "info" if was_asked else "warning",
        )

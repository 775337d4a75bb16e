"""The progress of a phone leg moves its participant and its call through the state tables.

Every function takes the call's row locked, with its plan loaded (``repository.locked_call``), and
works in the caller's transaction. Facts may arrive late or twice. A returned ``bool`` tells whether
the leg is still wanted: ``False`` when the call is over and the phone must be hung up.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from contracts.call_status import CallStatus, ParticipantStatus
from contracts.dial_outcome import DialOutcome
from contracts.end_reasons import EndReason
from control_plane.calling.calls import repository
from control_plane.calling.calls.ending.call_end import end_call
from control_plane.calling.calls.events.event_log import log_event
from control_plane.calling.calls.legs.transitions import LegCause, leg_transition
from control_plane.calling.calls.models import Call, CallParticipant
from control_plane.calling.calls.transitions import (
    Answered,
    DialCause,
    Dialing,
    Effect,
    Requeued,
    Ringing,
    Unreached,
    transition,
)

_RINGS = frozenset({ParticipantStatus.DIALING, ParticipantStatus.RINGING})
_MAY_CONNECT = _RINGS | {
    ParticipantStatus.JOINING,
    ParticipantStatus.QUEUED,
    ParticipantStatus.CONNECTED,
}


async def leg_dialing(
    session: AsyncSession, call: Call, participant_id: UUID, at: datetime
) -> bool:
    """The leg was handed to a carrier."""
    return await _progress(session, call, participant_id, LegCause.DIALING, Dialing(), at)


async def leg_ringing(
    session: AsyncSession, call: Call, participant_id: UUID, at: datetime
) -> bool:
    """The leg's phone is ringing."""
    return await _progress(session, call, participant_id, LegCause.RINGING, Ringing(), at)


async def leg_answered(
    session: AsyncSession, call: Call, participant_id: UUID, at: datetime
) -> bool:
    """The leg's phone was answered. The call's plan may be dispatched after the commit."""
    return await _progress(session, call, participant_id, LegCause.ANSWERED, Answered(), at)


async def leg_ended(
    session: AsyncSession,
    call: Call,
    participant_id: UUID,
    carrier: str,
    outcome: DialOutcome,
    at: datetime,
    retry_at: datetime | None,
    why: str | None = None,
) -> None:
    """An attempt to reach the leg failed with ``outcome``.

    With ``retry_at`` the leg goes back to the queue. Without it the leg is given up; if it was the
    last one that could still have connected, the call ends with ``<carrier>_<outcome>``.

    Args:
        carrier: its name in end reasons, such as ``twilio``.
        why: for the event log, if it was not the carrier that said so.
    """
    if call.is_over:
        return
    participants = await repository.participants(session, call.tenant_id, [call.id])
    leg = next(
        (participant for participant in participants if participant.id == participant_id), None
    )
    cause = LegCause.GIVEN_UP if retry_at is None else LegCause.RETRY_SCHEDULED
    if leg is None or not _move_leg(leg, cause, at):
        return
    how = f"A phone was not reached: {outcome.value}" + (f" ({why})" if why else "")
    if retry_at is not None:
        log_event(session, call, "telephony", f"{how}; next attempt at {retry_at.isoformat()}", at)
        call.due_at = retry_at
    else:
        log_event(session, call, "telephony", how, at, "warning")
    await session.flush()
    await _after_lost_leg(session, call, participants, Unreached(carrier, outcome), at)


async def leg_given_up(
    session: AsyncSession,
    call: Call,
    participant_id: UUID,
    reason: EndReason,
    why: str,
    at: datetime,
) -> None:
    """The leg will not be dialed any more, for a reason that does not come from a carrier.

    Args:
        reason: why the call ends if this was the last leg that could still have connected.
        why: for the event log.
    """
    if call.is_over:
        return
    participants = await repository.participants(session, call.tenant_id, [call.id])
    leg = next(
        (participant for participant in participants if participant.id == participant_id), None
    )
    if leg is None or not _move_leg(leg, LegCause.GIVEN_UP, at):
        return
    log_event(session, call, "telephony", why, at, "warning")
    await session.flush()
    await _after_lost_leg(session, call, participants, reason, at)


async def _after_lost_leg(
    session: AsyncSession,
    call: Call,
    participants: Sequence[CallParticipant],
    reason: EndReason | Unreached,
    at: datetime,
) -> None:
    """Move the call after one of its phone legs is gone."""
    if not _may_still_connect(call, participants):
        await end_call(session, call, reason, None, at)
    elif (
        not any(participant.status in _RINGS for participant in participants)
        and call.answered_at is None
    ):
        _move_call(call, Requeued(), at)


async def cancel_queued(session: AsyncSession, call: Call, at: datetime) -> bool:
    """Cancel a phone call that waits for its first or its next attempt.

    Returns:
        ``False`` if the call is not queued any more; nothing is changed then.
    """
    if call.status != CallStatus.QUEUED.value or call.dialed_at is not None:
        return False
    return await end_call(session, call, EndReason.CANCELED, None, at)


async def _progress(
    session: AsyncSession,
    call: Call,
    participant_id: UUID,
    leg_cause: LegCause,
    cause: DialCause,
    at: datetime,
) -> bool:
    if call.is_over:
        return Effect.HANG_UP_PHONE not in _move_call(call, cause, at)
    leg = await repository.participant(session, call.tenant_id, call.id, participant_id)
    if leg is None:
        return False
    if _move_leg(leg, leg_cause, at):
        _move_call(call, cause, at)
        log_event(session, call, "telephony", _LOG_LINES[leg_cause], at)
        await session.flush()
    return leg.status != ParticipantStatus.COMPLETED.value


_LOG_LINES = {
    LegCause.DIALING: "A phone is being dialed",
    LegCause.RINGING: "A phone rings",
    LegCause.ANSWERED: "A phone was answered",
}


def _move_leg(leg: CallParticipant, cause: LegCause, at: datetime) -> bool:
    """Apply ``cause``; returns whether it changed the status."""
    before = ParticipantStatus(leg.status)
    after = leg_transition(before, cause)
    leg.status = after.value
    if after is ParticipantStatus.COMPLETED:
        leg.left_at = leg.left_at or at
    return after is not before


def _move_call(call: Call, cause: DialCause, at: datetime) -> tuple[Effect, ...]:
    moved = transition(CallStatus(call.status), cause)
    call.status = moved.status.value
    for effect in moved.effects:
        match effect:
            case Effect.NOTE_DIALING:
                call.dialed_at = at
            case Effect.NOTE_ANSWER:
                call.answered_at = call.answered_at or at
            case Effect.CLEAR_DIALING:
                call.dialed_at = None
    return moved.effects


def _may_still_connect(call: Call, participants: Sequence[CallParticipant]) -> bool:
    """Whether the call can go on without the leg that was just given up.

    A browser alone does not keep the call: until the call is dispatched, it only waits for the
    phone.
    """
    if call.started_at is not None or call.claimed_at is not None:
        return True
    return any(
        participant.transport == "pstn" and participant.status in _MAY_CONNECT
        for participant in participants
    )

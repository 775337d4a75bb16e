"""Who is in a call: participants join, leave, and are completed when the call ends."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from sqlalchemy.ext.asyncio import AsyncSession

from contracts.call_status import ParticipantStatus, Transport
from contracts.dial_outcome import DialOutcome, carrier_end_reason
from contracts.events import LegLeft
from control_plane.calling.calls.events.event_log import Level, log_event
from control_plane.calling.calls.legs.transitions import LegCause, leg_transition
from control_plane.calling.calls.models import Call, CallParticipant
from control_plane.calling.calls.outbox_payloads import add_leg_started
from control_plane.platform.database import storable

_CALLED = frozenset(
    {ParticipantStatus.QUEUED, ParticipantStatus.DIALING, ParticipantStatus.RINGING}
)


def join(
    session: AsyncSession, call: Call, participant: CallParticipant | None, at: datetime
) -> None:
    """The participant's media connected, for the first time or again. Ignored after the call's end.

    ``call.started`` is sent for a phone when it connects for the first time.
    """
    if call.is_over or participant is None:
        return
    if participant.joined_at is None and participant.transport == Transport.PSTN.value:
        add_leg_started(session, call, participant, at)
    _move(participant, LegCause.JOINED)
    participant.first_joined_at = participant.first_joined_at or participant.joined_at or at
    participant.joined_at = at
    participant.left_at = None


def leave(
    session: AsyncSession,
    call: Call,
    participant: CallParticipant | None,
    cause: LegLeft,
    at: datetime,
) -> None:
    is_called = participant is not None and participant.status in _CALLED
    if participant is not None:
        _move(participant, LegCause.LEFT)
        participant.left_at = at
    message = {
        "left": "A participant left",
        "connection_lost": "A participant's connection was lost",
        "call_ended": "A participant was disconnected at the end of the call",
    }[cause.cause]
    if is_called:
        message = "A phone is not called any more"
    if cause.lost_carrier is not None:
        lost = carrier_end_reason(storable(cause.lost_carrier), DialOutcome.FAILED)
        message = f"A phone's line was lost: {lost}"
    level: Level = "warning" if cause.cause == "connection_lost" else "info"
    log_event(session, call, "lifecycle", message, at, level)


def complete(participants: Iterable[CallParticipant], at: datetime) -> None:
    """The call is over, so nobody is in it."""
    for participant in participants:
        if participant.status != ParticipantStatus.COMPLETED.value:
            _move(participant, LegCause.LEFT)
            participant.left_at = at


def _move(participant: CallParticipant, cause: LegCause) -> None:
    participant.status = leg_transition(ParticipantStatus(participant.status), cause).value

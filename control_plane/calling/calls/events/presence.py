"""What the workers' reports of people who come and go do to the participants of a call."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from sqlalchemy.ext.asyncio import AsyncSession

from contracts.call_status import ParticipantStatus, Transport
from contracts.events import LegLeft
from control_plane.calling.calls.events.event_log import Level, log_event
from control_plane.calling.calls.leg_transitions import LegCause, leg_transition
from control_plane.calling.calls.models import Call, CallParticipant
from control_plane.calling.calls.outbox_payloads import add_leg_started


def join(session: AsyncSession, call: Call, person: CallParticipant | None, at: datetime) -> None:
    """``person``'s media connected, for the first time or again. Nobody joins a call that is over.

    A phone is told of once, when it first connects.
    """
    if call.is_over or person is None:
        return
    if person.joined_at is None and person.transport == Transport.PSTN.value:
        add_leg_started(session, call, person, at)
    _move(person, LegCause.JOINED)
    person.joined_at = at
    person.left_at = None


def leave(
    session: AsyncSession,
    call: Call,
    person: CallParticipant | None,
    cause: LegLeft,
    at: datetime,
) -> None:
    if person is not None:
        _move(person, LegCause.LEFT)
        person.left_at = at
    message = {
        "left": "A participant left",
        "connection_lost": "A participant's connection was lost",
        "call_ended": "A participant was disconnected at the end of the call",
    }[cause.cause]
    level: Level = "warning" if cause.cause == "connection_lost" else "info"
    log_event(session, call, "lifecycle", message, at, level)


def complete(people: Iterable[CallParticipant], at: datetime) -> None:
    """Nobody is in a call that is over."""
    for person in people:
        if person.status != ParticipantStatus.COMPLETED.value:
            _move(person, LegCause.LEFT)
            person.left_at = at


def _move(person: CallParticipant, cause: LegCause) -> None:
    person.status = leg_transition(ParticipantStatus(person.status), cause).value

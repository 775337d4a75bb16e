"""A participant's state table: status × cause → next status. Pure.

A fact that arrives out of order ("ringing" for a phone that was already answered) does not change
the status.
"""

from __future__ import annotations

from enum import StrEnum

from contracts.call_status import ParticipantStatus


class LegCause(StrEnum):
    DIALING = "dialing"
    """The phone was handed to a carrier."""
    RINGING = "ringing"
    ANSWERED = "answered"
    RETRY_SCHEDULED = "retry_scheduled"
    """The attempt failed and will be repeated."""
    GIVEN_UP = "given_up"
    """The attempt failed and will not be repeated."""
    JOINED = "joined"
    """The media connected, for the first time or again."""
    LEFT = "left"


_JOINING, _QUEUED, _DIALING, _RINGING, _CONNECTED, _COMPLETED = (
    ParticipantStatus.JOINING,
    ParticipantStatus.QUEUED,
    ParticipantStatus.DIALING,
    ParticipantStatus.RINGING,
    ParticipantStatus.CONNECTED,
    ParticipantStatus.COMPLETED,
)

_FROM: dict[LegCause, tuple[frozenset[ParticipantStatus], ParticipantStatus]] = {
    LegCause.DIALING: (frozenset({_QUEUED}), _DIALING),
    LegCause.RINGING: (frozenset({_QUEUED, _DIALING}), _RINGING),
    LegCause.ANSWERED: (frozenset({_QUEUED, _DIALING, _RINGING}), _JOINING),
    LegCause.RETRY_SCHEDULED: (frozenset({_DIALING, _RINGING}), _QUEUED),
    LegCause.GIVEN_UP: (frozenset({_QUEUED, _DIALING, _RINGING, _JOINING}), _COMPLETED),
    LegCause.JOINED: (frozenset(ParticipantStatus), _CONNECTED),
    LegCause.LEFT: (frozenset(ParticipantStatus), _COMPLETED),
}


def leg_transition(status: ParticipantStatus, cause: LegCause) -> ParticipantStatus:
    """The status of a participant after ``cause``, in a call that is not over."""
    applies_to, next_status = _FROM[cause]
    return next_status if status in applies_to else status

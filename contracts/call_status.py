"""Statuses of calls and participants. Source: API spec, "States and transitions"."""

from __future__ import annotations

from enum import StrEnum


class CallStatus(StrEnum):
    CONNECTING = "connecting"
    """Created, waiting for a browser's media."""
    QUEUED = "queued"
    """Its phone waits to be dialed or to ring."""
    RINGING = "ringing"
    """Its phone rings, or was answered and waits for the agent."""
    IN_PROGRESS = "in_progress"
    """Media is connected: the meter runs."""
    COMPLETED = "completed"
    FAILED = "failed"
    NO_ANSWER = "no_answer"
    BUSY = "busy"
    CANCELED = "canceled"


TERMINAL_STATUSES = frozenset(
    {
        CallStatus.COMPLETED,
        CallStatus.FAILED,
        CallStatus.NO_ANSWER,
        CallStatus.BUSY,
        CallStatus.CANCELED,
    }
)


class ParticipantStatus(StrEnum):
    JOINING = "joining"
    """Expected: a browser whose media has not connected yet, or a phone that was answered."""
    QUEUED = "queued"
    """A phone that waits to be dialed, for the first time or again."""
    DIALING = "dialing"
    RINGING = "ringing"
    CONNECTED = "connected"
    COMPLETED = "completed"


class Transport(StrEnum):
    WEBRTC = "webrtc"
    PSTN = "pstn"

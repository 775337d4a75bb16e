"""Statuses of calls and participants. Source: API spec, "States and transitions"."""

from __future__ import annotations

from enum import StrEnum


class CallStatus(StrEnum):
    CONNECTING = "connecting"
    """Created, waiting for a browser's media."""
    QUEUED = "queued"
    RINGING = "ringing"
    IN_PROGRESS = "in_progress"
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
    QUEUED = "queued"
    CONNECTED = "connected"
    COMPLETED = "completed"


class Transport(StrEnum):
    WEBRTC = "webrtc"
    PSTN = "pstn"

"""Why a call ended, and which status that leaves it in. Source: API spec, "Call", `end_reason`.

The API treats ``end_reason`` as an open string; inside Switchboard it is this closed list.
"""

from __future__ import annotations

from enum import StrEnum

from contracts.call_status import CallStatus


class EndReason(StrEnum):
    """The causes of this release. Each belongs to exactly one row of ``STATUS_AFTER``."""

    PARTICIPANT_DISCONNECTED = "participant_disconnected"
    """The last person left in good order."""
    CLIENT_DISCONNECTED = "client_disconnected"
    """The last person's connection was lost and did not come back."""
    NORMAL_HANGUP = "normal_hangup"
    """An API client ended the call."""
    END_CALL_TOOL = "end_call_tool"
    """The agent ended the call."""
    MAX_CALL_DURATION = "max_call_duration"
    SILENCE_TIMEOUT = "silence_timeout"
    INSUFFICIENT_FUNDS = "insufficient_funds"
    NO_PROVIDER_CONNECTED = "no_provider_connected"
    """Every provider of a channel failed."""
    ROOM_SETUP_FAILED = "room_setup_failed"
    ROOM_CONNECTION_FAILED = "room_connection_failed"
    """Nobody's media connected in the time allowed."""
    SESSION_START_FAILED = "session_start_failed"
    WORKER_ERROR = "worker_error"
    """The worker that ran the call died."""
    SESSION_ERROR = "session_error"
    SERVER_SHUTDOWN = "server_shutdown"
    REAPER_QUEUED_TIMEOUT = "reaper_queued_timeout"
    """No worker claimed the call in the time allowed."""
    REAPER_IN_PROGRESS_TIMEOUT = "reaper_in_progress_timeout"
    """The call outlived its own maximum duration by far."""


_COMPLETED = frozenset(
    {
        EndReason.PARTICIPANT_DISCONNECTED,
        EndReason.CLIENT_DISCONNECTED,
        EndReason.NORMAL_HANGUP,
        EndReason.END_CALL_TOOL,
        EndReason.MAX_CALL_DURATION,
        EndReason.SILENCE_TIMEOUT,
    }
)

STATUS_AFTER: dict[EndReason, CallStatus] = {
    reason: CallStatus.COMPLETED if reason in _COMPLETED else CallStatus.FAILED
    for reason in EndReason
}

"""Why a call ended, and which status that leaves it in. Source: API spec, "Call", `end_reason`.

The API treats ``end_reason`` as an open string; inside Switchboard it is this closed list and, for
a phone that was never reached, ``contracts.dial_outcome.carrier_end_reason``.
"""

from __future__ import annotations

from enum import StrEnum

from contracts.call_status import CallStatus


class EndReason(StrEnum):
    """Each belongs to exactly one row of ``STATUS_AFTER``."""

    # Clean ends.
    PARTICIPANT_DISCONNECTED = "participant_disconnected"
    """The last person hung up or left the page."""
    CLIENT_DISCONNECTED = "client_disconnected"
    """The last person's connection was lost and did not come back."""
    NORMAL_HANGUP = "normal_hangup"
    """An API client or the operator ended the call."""
    NATURAL_END = "natural_end"
    """The conversation came to its end: neither side had anything left to say."""
    END_CALL_TOOL = "end_call_tool"
    """The agent ended the call with its tool."""
    AGENT_ENDED_CALL = "agent_ended_call"
    """The agent left without using its tool, as the agent of a speech-to-speech provider can."""
    COMPLETED = "completed"
    """A phone line was closed normally, and the carrier does not report who hung up."""

    # Limits and silence.
    TIME_LIMIT_EXCEEDED = "time_limit_exceeded"
    """A limit was reached that is not the agent's own, such as that of a share link."""
    MAX_CALL_DURATION = "max_call_duration"
    """The agent's own maximum duration was reached."""
    SILENCE_TIMEOUT = "silence_timeout"
    """The caller, who had spoken before, stayed silent after the nudge."""
    SILENCE_DEAD_AIR = "silence_dead_air"
    """The caller neither spoke nor pressed a key: a dead line, a muted microphone or an abandoned
    page."""
    DEMO_IDLE_TIMEOUT = "demo_idle_timeout"
    """A call of a shared demo was no longer used."""

    # Voicemail.
    VOICEMAIL_DETECTED = "voicemail_detected"
    """An answering machine answered, and no message was left."""
    VOICEMAIL_LEFT = "voicemail_left"
    """An answering machine answered, and the agent left its message."""

    # Failures.
    INSUFFICIENT_FUNDS = "insufficient_funds"
    """No more time was paid for, or the balance did not cover the first 30 seconds."""
    NO_PROVIDER_CONNECTED = "no_provider_connected"
    """Every provider of a channel failed."""
    ROOM_SETUP_FAILED = "room_setup_failed"
    """The room could not be opened."""
    ROOM_CONNECTION_FAILED = "room_connection_failed"
    """Nobody's media connected in the time allowed."""
    SESSION_INIT_FAILED = "session_init_failed"
    """The agent's session could not be built from the plan."""
    SESSION_START_FAILED = "session_start_failed"
    """The agent's session was built but did not start."""
    WORKER_ERROR = "worker_error"
    """The worker that ran the call died."""
    SESSION_ERROR = "session_error"
    """The agent's session or its room broke while the call ran."""
    SERVER_SHUTDOWN = "server_shutdown"
    """The worker was told to stop while the call ran."""

    # Backstops.
    REAPER_QUEUED_TIMEOUT = "reaper_queued_timeout"
    """No worker claimed the call, or no bridge dialed it, in the time allowed."""
    REAPER_POST_DIAL_TIMEOUT = "reaper_post_dial_timeout"
    """A phone was dialed, and no further report of the attempt arrived."""
    REAPER_IN_PROGRESS_TIMEOUT = "reaper_in_progress_timeout"
    """The call ran far beyond its maximum duration."""

    CANCELED = "canceled"
    """A queued phone call was taken out of the queue before anybody was dialed."""
    DO_NOT_CALL = "do_not_call"
    """The number was added to the tenant's do-not-call list before it was dialed."""


_COMPLETED = frozenset(
    {
        EndReason.PARTICIPANT_DISCONNECTED,
        EndReason.CLIENT_DISCONNECTED,
        EndReason.NORMAL_HANGUP,
        EndReason.NATURAL_END,
        EndReason.END_CALL_TOOL,
        EndReason.AGENT_ENDED_CALL,
        EndReason.COMPLETED,
        EndReason.TIME_LIMIT_EXCEEDED,
        EndReason.MAX_CALL_DURATION,
        EndReason.SILENCE_TIMEOUT,
        EndReason.SILENCE_DEAD_AIR,
        EndReason.DEMO_IDLE_TIMEOUT,
        EndReason.VOICEMAIL_DETECTED,
        EndReason.VOICEMAIL_LEFT,
    }
)

_CANCELED = frozenset({EndReason.CANCELED, EndReason.DO_NOT_CALL})


def _status_after(reason: EndReason) -> CallStatus:
    if reason in _COMPLETED:
        return CallStatus.COMPLETED
    return CallStatus.CANCELED if reason in _CANCELED else CallStatus.FAILED


STATUS_AFTER: dict[EndReason, CallStatus] = {reason: _status_after(reason) for reason in EndReason}

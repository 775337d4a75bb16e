"""Everything that ends a call, in one table.

A cause says what happened. The table says which ``EndReason`` is recorded for it, and what the
agent still says.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto

from contracts.end_reasons import EndReason


class Leave(Enum):
    """What the agent still says before the call ends."""

    AT_ONCE = auto()
    AFTER_SPEECH = auto()
    """The agent finishes what it is saying."""
    FAREWELL = auto()
    """The agent stops and says a farewell that cannot be interrupted."""
    APOLOGY = auto()
    """The engine has failed: a farewell from any voice that still works, and without a
    conversation the words that were recorded in advance."""


class Cause(Enum):
    LAST_LEG_LEFT = auto()
    LAST_LEG_LOST = auto()
    NOBODY_JOINED = auto()
    AGENT_HUNG_UP = auto()
    MACHINE_ANSWERED = auto()
    """An answering machine, and the agent leaves no message."""
    MESSAGE_LEFT = auto()
    """An answering machine has recorded the agent's message."""
    MAX_DURATION_REACHED = auto()
    FUNDS_LAPSED = auto()
    """No more time is paid for; the detail says why."""
    SILENT_TOO_LONG = auto()
    NEVER_SPOKE = auto()
    """Silent for too long, and the caller neither spoke nor pressed a key in the whole call."""
    WORKER_STOPPING = auto()
    ROOM_NOT_OPENED = auto()
    SESSION_NOT_BUILT = auto()
    SESSION_NOT_STARTED = auto()
    PROVIDERS_FAILED = auto()
    SESSION_FAILED = auto()
    ROOM_FAILED = auto()
    """It has closed by itself, so nobody hears anything any more."""


OUTCOMES: dict[Cause, tuple[EndReason, Leave]] = {
    Cause.LAST_LEG_LEFT: (EndReason.PARTICIPANT_DISCONNECTED, Leave.AT_ONCE),
    Cause.LAST_LEG_LOST: (EndReason.CLIENT_DISCONNECTED, Leave.AT_ONCE),
    Cause.NOBODY_JOINED: (EndReason.ROOM_CONNECTION_FAILED, Leave.AT_ONCE),
    Cause.AGENT_HUNG_UP: (EndReason.END_CALL_TOOL, Leave.AFTER_SPEECH),
    Cause.MACHINE_ANSWERED: (EndReason.VOICEMAIL_DETECTED, Leave.AT_ONCE),
    Cause.MESSAGE_LEFT: (EndReason.VOICEMAIL_LEFT, Leave.AT_ONCE),
    Cause.MAX_DURATION_REACHED: (EndReason.MAX_CALL_DURATION, Leave.FAREWELL),
    Cause.FUNDS_LAPSED: (EndReason.INSUFFICIENT_FUNDS, Leave.FAREWELL),
    Cause.SILENT_TOO_LONG: (EndReason.SILENCE_TIMEOUT, Leave.FAREWELL),
    Cause.NEVER_SPOKE: (EndReason.SILENCE_DEAD_AIR, Leave.FAREWELL),
    Cause.WORKER_STOPPING: (EndReason.SERVER_SHUTDOWN, Leave.FAREWELL),
    Cause.ROOM_NOT_OPENED: (EndReason.ROOM_SETUP_FAILED, Leave.AT_ONCE),
    Cause.SESSION_NOT_BUILT: (EndReason.SESSION_INIT_FAILED, Leave.APOLOGY),
    Cause.SESSION_NOT_STARTED: (EndReason.SESSION_START_FAILED, Leave.APOLOGY),
    Cause.PROVIDERS_FAILED: (EndReason.NO_PROVIDER_CONNECTED, Leave.APOLOGY),
    Cause.SESSION_FAILED: (EndReason.SESSION_ERROR, Leave.APOLOGY),
    Cause.ROOM_FAILED: (EndReason.SESSION_ERROR, Leave.AT_ONCE),
}


@dataclass(frozen=True)
class Ending:
    """How one call ends. ``farewell`` replaces the standard phrase in the call's language."""

    reason: EndReason
    leave: Leave
    farewell: str | None = None
    detail: str | None = None
    lost_carrier: str | None = None
    """The carrier of the last leg, a phone whose line was lost on our side."""

    @classmethod
    def line_lost(cls, carrier: str) -> Ending:
        """The call has failed, and what is recorded names the carrier."""
        reason, leave = OUTCOMES[Cause.LAST_LEG_LOST]
        return cls(reason, leave, lost_carrier=carrier)

    @classmethod
    def because(cls, cause: Cause, detail: str | None = None) -> Ending:
        reason, leave = OUTCOMES[cause]
        return cls(reason, leave, detail=detail)

    @classmethod
    def commanded(cls, reason: EndReason, farewell: str | None) -> Ending:
        """The control plane ended the call."""
        return cls(reason, Leave.FAREWELL if farewell else Leave.AT_ONCE, farewell=farewell)


class CallFailure(Exception):
    """A part of the call could not be set up, or failed later. ``cause`` says which."""

    cause: Cause = Cause.SESSION_FAILED


class RoomNotOpened(CallFailure):
    cause = Cause.ROOM_NOT_OPENED


class SessionNotBuilt(CallFailure):
    cause = Cause.SESSION_NOT_BUILT


class SessionNotStarted(CallFailure):
    cause = Cause.SESSION_NOT_STARTED


class ProvidersFailed(CallFailure):
    """Every provider of a channel failed."""

    cause = Cause.PROVIDERS_FAILED

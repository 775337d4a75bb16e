"""The call's state table: status × cause → next status and what has to be done with it.

Pure. Source: API spec, "States and transitions"; which status an end reason leaves is
``contracts.end_reasons.STATUS_AFTER`` and ``contracts.dial_outcome.STATUS_AFTER_DIAL``. The table
as text, tested against this one: docs/call-states.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from contracts.call_status import TERMINAL_STATUSES, CallStatus
from contracts.dial_outcome import STATUS_AFTER_DIAL, DialOutcome, carrier_end_reason
from contracts.end_reasons import STATUS_AFTER, EndReason


@dataclass(frozen=True)
class Dialing:
    """A phone leg was given to a carrier."""


@dataclass(frozen=True)
class Ringing:
    """A phone leg rings."""


@dataclass(frozen=True)
class Answered:
    """A phone leg was picked up; its media is not connected yet."""


@dataclass(frozen=True)
class Requeued:
    """An attempt failed and will be made again; no other leg rings."""


@dataclass(frozen=True)
class Claimed:
    """A worker opened the call's room."""


@dataclass(frozen=True)
class Started:
    """The first leg's media connected."""


@dataclass(frozen=True)
class Ended:
    """The call is over, for ``reason``."""

    reason: EndReason

    @property
    def status(self) -> CallStatus:
        return STATUS_AFTER[self.reason]

    @property
    def end_reason(self) -> str:
        return self.reason.value


@dataclass(frozen=True)
class Unreached:
    """The last phone leg that could have connected was given up."""

    carrier: str
    outcome: DialOutcome

    @property
    def status(self) -> CallStatus:
        return STATUS_AFTER_DIAL[self.outcome]

    @property
    def end_reason(self) -> str:
        return carrier_end_reason(self.carrier, self.outcome)


DialCause = Dialing | Ringing | Answered | Requeued
EndCause = Ended | Unreached
Cause = DialCause | Claimed | Started | EndCause


class Effect(StrEnum):
    NOTE_DIALING = "note_dialing"
    NOTE_ANSWER = "note_answer"
    CLEAR_DIALING = "clear_dialing"
    NOTE_CLAIM = "note_claim"
    START_METER = "start_meter"
    TELL_STARTED = "tell_started"
    """``call.started`` goes to the outbox."""
    SETTLE = "settle"
    """Charge what was connected and let the reserve go, once."""
    COMPLETE_PARTICIPANTS = "complete_participants"
    TELL_FAILED = "tell_failed"
    """``call.failed`` goes to the outbox."""
    ENQUEUE_POST_CALL = "enqueue_post_call"
    STOP_WORKER = "stop_worker"
    """A worker still runs a call that is over: tell it."""
    HANG_UP_PHONE = "hang_up_phone"
    """A phone is still being called for a call that is over: tell its bridge."""


@dataclass(frozen=True)
class Transition:
    status: CallStatus
    effects: tuple[Effect, ...] = ()


TOLD_AS_FAILED = frozenset({CallStatus.FAILED, CallStatus.NO_ANSWER, CallStatus.BUSY})
"""Calls that cannot start or end in failure. Whoever cancels a call needs no telling."""


def waits_for_phone(status: CallStatus) -> bool:
    """Whether a call follows what becomes of its phone legs."""
    return status in {CallStatus.QUEUED, CallStatus.RINGING}


def transition(status: CallStatus, cause: Cause) -> Transition:
    """Where ``cause`` takes a call that is in ``status``.

    A terminal status never changes, so a late fact has no effect on status or bill. A phone that
    joins a browser's call does not move it: only a call that waits for a phone follows the phone.
    """
    if status in TERMINAL_STATUSES:
        return Transition(status, _too_late(cause))
    match cause:
        case Dialing() | Ringing() | Answered() | Requeued():
            if waits_for_phone(status):
                return _dialed(status, cause)
            return Transition(status)
        case Claimed():
            return Transition(status, (Effect.NOTE_CLAIM,))
        case Started():
            if status is CallStatus.IN_PROGRESS:
                return Transition(status)
            return Transition(CallStatus.IN_PROGRESS, (Effect.START_METER, Effect.TELL_STARTED))
        case Ended() | Unreached():
            return Transition(cause.status, _on_end(cause.status))


def _dialed(status: CallStatus, cause: DialCause) -> Transition:
    match cause:
        case Dialing():
            return Transition(status, (Effect.NOTE_DIALING,))
        case Ringing():
            return Transition(CallStatus.RINGING)
        case Answered():
            return Transition(CallStatus.RINGING, (Effect.NOTE_ANSWER,))
        case Requeued():
            return Transition(CallStatus.QUEUED, (Effect.CLEAR_DIALING,))


def _on_end(over: CallStatus) -> tuple[Effect, ...]:
    told = (Effect.TELL_FAILED,) if over in TOLD_AS_FAILED else ()
    return (Effect.SETTLE, Effect.COMPLETE_PARTICIPANTS, *told, Effect.ENQUEUE_POST_CALL)


def _too_late(cause: Cause) -> tuple[Effect, ...]:
    match cause:
        case Claimed() | Started():
            return (Effect.STOP_WORKER,)
        case Dialing() | Ringing() | Answered():
            return (Effect.HANG_UP_PHONE,)
        case Requeued() | Ended() | Unreached():
            return ()

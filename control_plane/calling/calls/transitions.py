"""The call's state table: status × cause → next status and the effects to carry out.

Pure. Source: API spec, "States and transitions". The status that an end reason leads to comes from
``contracts.end_reasons.STATUS_AFTER`` and ``contracts.dial_outcome.STATUS_AFTER_DIAL``. A test
keeps docs/call-states.md, the table as text, equal to this one.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from contracts.call_status import TERMINAL_STATUSES, CallStatus
from contracts.dial_outcome import STATUS_AFTER_DIAL, DialOutcome, carrier_end_reason
from contracts.end_reasons import STATUS_AFTER, EndReason


@dataclass(frozen=True)
class Dialing:
    """A phone leg was handed to a carrier."""


@dataclass(frozen=True)
class Ringing:
    """A phone leg rings."""


@dataclass(frozen=True)
class Answered:
    """A phone leg was answered; its media is not connected yet."""


@dataclass(frozen=True)
class Requeued:
    """An attempt failed and will be repeated; no other leg is ringing."""


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
    """The last phone leg that could still have connected was given up, or the last leg was a phone
    whose line was lost while it talked."""

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
    SEND_CALL_STARTED = "send_call_started"
    """``call.started`` goes to the outbox."""
    SETTLE = "settle"
    """Once: charge the connected time, release the rest of the reserve, complete the participants
    and queue the work that follows a call."""
    SEND_CALL_FAILED = "send_call_failed"
    """``call.failed`` goes to the outbox."""
    STOP_WORKER = "stop_worker"
    """A worker is still running a call that is over: send it the command to stop."""
    HANG_UP_PHONE = "hang_up_phone"
    """A phone is still being called for a call that is over: send the command to hang up."""


@dataclass(frozen=True)
class Transition:
    status: CallStatus
    effects: tuple[Effect, ...] = ()


REPORTED_AS_FAILED = frozenset({CallStatus.FAILED, CallStatus.NO_ANSWER, CallStatus.BUSY})
"""``call.failed`` is sent for these. None is sent for a canceled call, because the client that
canceled it already knows."""


def waits_for_phone(status: CallStatus) -> bool:
    """Whether the progress of its phone legs changes the call's status."""
    return status in {CallStatus.QUEUED, CallStatus.RINGING}


def transition(status: CallStatus, cause: Cause) -> Transition:
    """What ``cause`` does to a call that is in ``status``.

    A terminal status never changes, so a late fact affects neither status nor bill. A phone that
    joins a browser's call does not change its status either: only a call that waits for a phone
    follows its progress.
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
            return Transition(
                CallStatus.IN_PROGRESS, (Effect.START_METER, Effect.SEND_CALL_STARTED)
            )
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
    report = (Effect.SEND_CALL_FAILED,) if over in REPORTED_AS_FAILED else ()
    return (Effect.SETTLE, *report)


def _too_late(cause: Cause) -> tuple[Effect, ...]:
    match cause:
        case Claimed() | Started():
            return (Effect.STOP_WORKER,)
        case Dialing() | Ringing() | Answered():
            return (Effect.HANG_UP_PHONE,)
        case Requeued() | Ended() | Unreached():
            return ()

"""The call's state table: status × cause → next status and what has to be done with it.

Pure. Source: API spec, "States and transitions"; which status an end reason leaves is
``contracts.end_reasons.STATUS_AFTER``.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from contracts.call_status import TERMINAL_STATUSES, CallStatus
from contracts.end_reasons import STATUS_AFTER, EndReason


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


Cause = Claimed | Started | Ended


class Effect(StrEnum):
    NOTE_CLAIM = "note_claim"
    START_METER = "start_meter"
    SETTLE = "settle"
    """Charge what was connected and let the reserve go, once."""
    COMPLETE_PARTICIPANTS = "complete_participants"
    ENQUEUE_POST_CALL = "enqueue_post_call"
    STOP_WORKER = "stop_worker"
    """A worker still runs a call that is over: tell it."""


@dataclass(frozen=True)
class Transition:
    status: CallStatus
    effects: tuple[Effect, ...] = ()


_END = (Effect.SETTLE, Effect.COMPLETE_PARTICIPANTS, Effect.ENQUEUE_POST_CALL)


def transition(status: CallStatus, cause: Cause) -> Transition:
    """Where ``cause`` takes a call that is in ``status``.

    A terminal status never changes, so a late fact has no effect on status or bill.
    """
    over = status in TERMINAL_STATUSES
    match cause:
        case Claimed():
            return Transition(status, (Effect.STOP_WORKER if over else Effect.NOTE_CLAIM,))
        case Started() if over:
            return Transition(status, (Effect.STOP_WORKER,))
        case Started() if status is CallStatus.IN_PROGRESS:
            return Transition(status)
        case Started():
            return Transition(CallStatus.IN_PROGRESS, (Effect.START_METER,))
        case Ended() if over:
            return Transition(status)
        case Ended(reason):
            return Transition(STATUS_AFTER[reason], _END)

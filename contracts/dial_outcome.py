"""How an attempt to reach a phone ended, in the same words for every carrier."""

from __future__ import annotations

from enum import StrEnum

from contracts.call_status import CallStatus


class DialOutcome(StrEnum):
    """Each belongs to exactly one row of ``STATUS_AFTER_DIAL``."""

    NO_ANSWER = "no_answer"
    BUSY = "busy"
    REJECTED = "rejected"
    """The phone was answered with a refusal."""
    UNREACHABLE = "unreachable"
    """The number does not exist, or the network cannot route to it."""
    CANCELED = "canceled"
    """We gave up before anybody answered."""
    FAILED = "failed"
    """The carrier could not place the call, or the phone's line was lost on our side."""


STATUS_AFTER_DIAL: dict[DialOutcome, CallStatus] = {
    DialOutcome.NO_ANSWER: CallStatus.NO_ANSWER,
    DialOutcome.BUSY: CallStatus.BUSY,
    DialOutcome.REJECTED: CallStatus.BUSY,
    DialOutcome.UNREACHABLE: CallStatus.FAILED,
    DialOutcome.CANCELED: CallStatus.CANCELED,
    DialOutcome.FAILED: CallStatus.FAILED,
}


def carrier_end_reason(carrier: str, outcome: DialOutcome) -> str:
    """``("twilio", BUSY)`` → ``twilio_busy``. Source: API spec, "Call", `<carrier>_<status>`."""
    return f"{carrier}_{outcome.value}"

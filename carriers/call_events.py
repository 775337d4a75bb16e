"""What a carrier's webhook reports, in the same words for every carrier."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from contracts.dial_outcome import DialOutcome
from contracts.dialing import LegStage


@dataclass(frozen=True)
class StatusMeaning:
    """Of one status of a carrier. ``outcome`` is set where nobody answered."""

    stage: LegStage
    outcome: DialOutcome | None = None


@dataclass(frozen=True)
class CallArrived:
    """Somebody calls one of the account's numbers. Numbers are E.164 where they can be read as
    such, and else as the carrier wrote them (``anonymous``)."""

    call_id: str
    from_number: str
    to_number: str


@dataclass(frozen=True)
class StageReached:
    """A call has come as far as ``stage``. Carriers repeat themselves, and report late.

    ``status`` is the carrier's own word. ``outcome`` is set only with ``ENDED``. It tells something
    only about a call that was not answered.
    """

    call_id: str
    stage: LegStage
    status: str
    outcome: DialOutcome | None = None
    detail: str | None = None
    duration_seconds: int | None = None
    """As the carrier bills it, from the answer on. Only with ``ENDED``."""


class AnsweredBy(StrEnum):
    HUMAN = "human"
    MACHINE = "machine"
    """A greeting is playing."""
    MACHINE_READY = "machine_ready"
    """The greeting is over, or has beeped: a message can be left."""
    FAX = "fax"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class MachineDetected:
    """The carrier's own opinion of who has answered. A second one may follow, once the greeting is
    over."""

    call_id: str
    answered_by: AnsweredBy


@dataclass(frozen=True)
class DigitPressed:
    """Only where a carrier reports keys in webhooks too. The media stream reports the same ones:
    use one of both."""

    call_id: str
    digit: str


@dataclass(frozen=True)
class PlaybackEnded:
    """What ``Answers.play_and_hang_up`` has played is over."""

    call_id: str


@dataclass(frozen=True)
class StreamFailed:
    """The carrier could not connect to the media websocket, or has lost it."""

    call_id: str
    detail: str


CallEvent = (
    CallArrived | StageReached | MachineDetected | DigitPressed | PlaybackEnded | StreamFailed
)

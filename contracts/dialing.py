"""Control plane ↔ telephony bridge: phone legs to dial, and how far each has come.

Requests go to one stream per carrier (``redis_names.dial_requests``), commands to one stream per
bridge (``redis_names.bridge_commands``), reports come back on ``redis_names.DIAL_REPORT_STREAM``. A
bridge also keeps the newest report of each of its attempts under ``redis_names.dial_attempt``.
While the key exists the bridge is alive. Its document makes up for reports that were lost.
Legs whose bridge has died, or whose carrier does not hang up, go to ``redis_names.LOST_LEGS``: any
bridge hangs them up at their carrier.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Literal
from uuid import UUID

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, PositiveInt

from contracts.dial_outcome import DialOutcome

_FROZEN = ConfigDict(frozen=True, extra="forbid")


MachineDetection = Literal["off", "detect", "detect_and_wait"]


class DialRequest(BaseModel):
    """One attempt to reach one phone. Numbers are E.164.

    A bridge dials an ``attempt_id`` once, however often it is asked, and not after ``dial_before``.
    """

    model_config = _FROZEN
    version: Literal[1] = 1
    attempt_id: UUID
    telephony_leg_id: UUID
    call_id: UUID
    tenant_id: UUID
    participant_id: UUID
    carrier: str
    to_number: str
    from_number: str
    ring_timeout_seconds: PositiveInt
    dial_before: AwareDatetime
    account_id: UUID | None = Field(None, exclude_if=lambda account_id: account_id is None)
    """The account at the carrier that places and pays the call (``contracts.carrier_accounts``).
    ``None`` for carriers that need none."""
    machine_detection: MachineDetection = Field("off", exclude_if=lambda asked: asked == "off")
    """What the carrier is asked to listen for, if it can: whether a machine answers (``detect``),
    and when that records (``detect_and_wait``)."""


class LegStage(StrEnum):
    """How far an attempt has come, in this order; it never goes back."""

    REQUESTED = "requested"
    """Offered to the bridges; none has taken it yet."""
    DIALING = "dialing"
    RINGING = "ringing"
    ANSWERED = "answered"
    ENDED = "ended"


STAGE_RANK = {stage: rank for rank, stage in enumerate(LegStage)}


class DialReport(BaseModel):
    """``outcome`` is set if the attempt ended before anybody answered, and is ``failed`` if the
    carrier never brought the sound of somebody who did. ``detail`` is the carrier's own
    description."""

    model_config = _FROZEN
    version: Literal[1] = 1
    attempt_id: UUID
    call_id: UUID
    tenant_id: UUID
    participant_id: UUID
    bridge_id: str
    occurred_at: AwareDatetime
    stage: LegStage
    outcome: DialOutcome | None = None
    detail: str | None = None


class HangUpLeg(BaseModel):
    """End the attempt, at whatever stage it is. A bridge that does not run it ignores this."""

    model_config = _FROZEN
    version: Literal[1] = 1
    attempt_id: UUID


class LostLeg(BaseModel):
    """A leg whose bridge has died, or that its carrier did not hang up. Its carrier may go on with
    it, so any bridge hangs it up.

    ``carrier_call_id`` is the carrier's own id of an inbound leg; of one that we dialed, bridges
    know it.
    """

    model_config = _FROZEN
    version: Literal[1] = 1
    attempt_id: UUID
    call_id: UUID
    account_id: UUID
    carrier_call_id: str | None

"""The dialing queue."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy import ForeignKey, Text, func
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from contracts.dialing import LegStage, MachineDetection
from contracts.versions import read_object
from control_plane.calling.dialing.retry import RetryRules
from control_plane.calling.dialing.schedule import Schedule
from control_plane.platform.database import Base
from control_plane.platform.tenancy.models import Tenant

OUTBOUND = "outbound"
INBOUND = "inbound"


class JobState(StrEnum):
    WAITING = "waiting"
    """To be dialed at ``due_at``, or to be dialed again."""
    ACTIVE = "active"
    """Being dialed, or in conversation: it counts towards the limits."""
    COMPLETED = "completed"
    """Somebody answered, and the leg is over."""
    FAILED = "failed"
    """Nobody was reached."""
    CANCELED = "canceled"
    """Its call ended first, or may no longer be made."""


class DialingJob(Base):
    """One phone leg from the request until it is over. ``id`` is the API's ``job_id``.

    While it is active, ``attempt_id`` names the attempt and ``stage`` how far that has come.
    """

    __tablename__ = "dialing_jobs"

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    tenant_id: Mapped[UUID] = mapped_column(ForeignKey(Tenant.id))
    call_id: Mapped[UUID]
    participant_id: Mapped[UUID]
    telephony_leg_id: Mapped[UUID] = mapped_column(default=uuid4)
    direction: Mapped[str] = mapped_column(default=OUTBOUND)
    """``outbound``, or ``inbound``: somebody calls one of our numbers. An inbound leg is active
    from the start, with the attempt that its bridge carries, and is never dialed."""
    carrier: Mapped[str]
    carrier_account_id: Mapped[UUID | None]
    """The account that the leg runs through; ``None`` for a carrier that needs none."""
    carrier_call_id: Mapped[str | None]
    """The carrier's own id of an inbound call, unique within the account."""
    telecom_micros_per_minute: Mapped[int] = mapped_column(default=0)
    """What a minute costs the tenant, as its call's plan says; 0 on an account of its own."""
    price_row: Mapped[dict[str, Any] | None] = mapped_column(JSONB(none_as_null=True))
    """The same of a phone that was added to a call, whose price is not in the plan: a
    ``contracts.call_plan.PriceRow``, frozen when it was added."""
    billed_from_ms: Mapped[int | None]
    billed_until_ms: Mapped[int | None]
    """When such a phone was in the call, in connected milliseconds, from the call's end on.
    Without an end: until the call's."""
    to_number: Mapped[str]
    from_number: Mapped[str]
    """Empty if the caller of an inbound leg withholds it."""
    priority: Mapped[int]
    """Higher is dialed sooner."""
    schedule: Mapped[dict[str, Any]]
    retry: Mapped[dict[str, Any]]
    machine_detection: Mapped[MachineDetection] = mapped_column(Text, default="off")
    state: Mapped[JobState] = mapped_column(Text, default=JobState.WAITING)
    due_at: Mapped[datetime]
    give_up_at: Mapped[datetime]
    """Nothing is dialed from then on."""
    attempts: Mapped[int] = mapped_column(default=0)
    attempt_id: Mapped[UUID | None]
    stage: Mapped[LegStage | None] = mapped_column(Text)
    stage_at: Mapped[datetime | None]
    dial_before: Mapped[datetime | None]
    """Bridges do not take the attempt after that."""
    requested_at: Mapped[datetime | None]
    """When the bridges were asked; ``None`` until then."""
    bridge_id: Mapped[str | None]
    last_outcome: Mapped[str | None]
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    finished_at: Mapped[datetime | None]

    @property
    def is_inbound(self) -> bool:
        return self.direction == INBOUND

    @property
    def dial_schedule(self) -> Schedule:
        return read_object(Schedule, self.schedule)

    @property
    def retry_rules(self) -> RetryRules:
        return read_object(RetryRules, self.retry)

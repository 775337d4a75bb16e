"""Requests and responses of ``/v1/operator/parked-events``."""

from __future__ import annotations

from datetime import datetime
from typing import Literal, Self
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

from contracts.events import EventEnvelope
from control_plane.calling.calls.models import ParkedEvent
from control_plane.operator.schemas import PersonName, Reason


class Discarding(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "example": {
                "reason": "The call was a test of the new release",
                "discarded_by": "mia@voice.example",
            }
        },
    )
    reason: Reason
    discarded_by: PersonName = Field(description="The person who decided it.")


class ParkedEventView(BaseModel):
    id: int
    reason: str = Field(description="Why it could not be applied.")
    call_id: UUID | None = Field(description="`null` if the event does not say.")
    tenant_id: UUID | None
    seq: int | None = Field(description="Its number among the events of its call, from 1.")
    stream_entry_id: str = Field(
        description="`connected-time:` and the call's id for the end of a call that reported more "
        "connected time than the call can have had. Otherwise the event's stream in Redis, `/` and "
        "its id there; of events that an earlier release parked, the id alone."
    )
    parked_at: datetime
    resolution: Literal["applied", "discarded"] | None
    resolution_reason: str | None
    discarded_by: str | None
    resolved_at: datetime | None

    @classmethod
    def of(cls, parked: ParkedEvent, envelope: EventEnvelope | None) -> Self:
        return cls.model_validate(
            {
                "id": parked.id,
                "reason": parked.reason,
                "call_id": envelope.call_id if envelope else None,
                "tenant_id": envelope.tenant_id if envelope else None,
                "seq": envelope.seq if envelope else None,
                "stream_entry_id": parked.stream_entry_id,
                "parked_at": parked.parked_at,
                "resolution": parked.resolution,
                "resolution_reason": parked.resolution_reason,
                "discarded_by": parked.resolved_by,
                "resolved_at": parked.resolved_at,
                "document": parked.document,
            }
        )


class ParkedEventDetail(ParkedEventView):
    document: str = Field(description="What the worker sent. It may hold what a caller said.")


class ParkedEventPage(BaseModel):
    parked_events: list[ParkedEventView]
    waiting: int = Field(description="How many parked events are not settled.")
    next_cursor: int | None = Field(description="`null` on the last page.")

"""What receivers get, for the OpenAPI document. Source: API spec, "Envelope" and "Payload data".

What an endpoint's level of redaction leaves out is ``null`` (or an empty list).
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import BaseModel, Field


class EventSegment(BaseModel):
    speaker: str
    text: str
    sequence: int
    started_at_ms: int
    ended_at_ms: int


class EventTranscript(BaseModel):
    text: str
    segments: list[EventSegment]


class EventEvaluation(BaseModel):
    passed: bool | None
    score: float | None
    reasoning: str | None


class EventCosts(BaseModel):
    llm: float | None
    tts: float | None
    stt: float | None


class CallStartedData(BaseModel):
    call_id: UUID
    session_id: str
    agent_id: UUID
    channel: Literal["web", "phone"]
    to_number: str | None = Field(description="The word `web`, or the dialed number.")
    started_at: datetime
    participant_id: UUID | None = Field(
        None, description="Only in the further event of each phone leg."
    )


class CallFailedData(BaseModel):
    call_id: UUID
    session_id: str
    agent_id: UUID
    status: Literal["failed"]
    reason: str | None


class LeanCallCompletedData(BaseModel):
    call_id: UUID
    session_id: str
    agent_id: UUID
    status: str
    reason: str | None
    duration: float = Field(description="Seconds.")
    cost: None
    intelligence_status: Literal["pending"]
    transcript: EventTranscript | None


class CallCompletedData(BaseModel):
    call_id: UUID
    session_id: str
    agent_id: UUID
    status: str
    reason: str | None
    duration: float = Field(description="Seconds.")
    cost: float = Field(description="`telecom_cost` and `provider_cost`, in dollars.")
    telecom_cost: float
    provider_cost: float
    provider_cost_breakdown: EventCosts
    provider_cost_actual: float | None = Field(
        description="What providers bill the installation, as far as it is known."
    )
    provider_cost_actual_breakdown: EventCosts | None
    intelligence_status: str
    transcript: EventTranscript | None
    summary: str | None
    sentiment: str | None
    structured_data: dict[str, Any] | None
    evaluation: EventEvaluation | None
    recording: dict[str, Any] | None = Field(
        description="As in `GET /v1/calls/{call_id}/recording`, with addresses signed now."
    )
    errors: list[dict[str, Any]]


class IntelligenceReadyData(BaseModel):
    call_id: UUID
    status: str
    duration: float = Field(description="Seconds.")
    cost: float
    intelligence_status: str
    transcript: EventTranscript | None
    summary: str | None
    sentiment: str | None
    structured_data: dict[str, Any] | None
    evaluation: EventEvaluation | None
    errors: list[dict[str, Any]]


class NotificationData(BaseModel):
    notification_id: UUID
    tenant_id: UUID
    event_category: str
    title: str | None
    message: str | None
    metadata: dict[str, Any]


class _Envelope(BaseModel):
    timestamp: datetime = Field(description="When it was emitted; the same over all tries.")


class CallStartedEvent(_Envelope):
    event: Literal["call.started"]
    data: CallStartedData


class CallFailedEvent(_Envelope):
    event: Literal["call.failed"]
    data: CallFailedData


class CallCompletedEvent(_Envelope):
    event: Literal["call.completed"]
    type: Literal["call.completed"]
    data: CallCompletedData


class LeanCallCompletedEvent(_Envelope):
    """Without `type`: the analysis has to wait. A `CallCompletedEvent` may follow."""

    event: Literal["call.completed"]
    data: LeanCallCompletedData


class IntelligenceReadyEvent(_Envelope):
    event: Literal["call.intelligence.ready"]
    type: Literal["call.intelligence.ready"]
    data: IntelligenceReadyData


class NotificationEvent(_Envelope):
    """An event of an agent, of billing, of an account or of the system."""

    event: str
    type: str
    data: NotificationData


AnyCallCompleted = Annotated[
    CallCompletedEvent | LeanCallCompletedEvent, Field(union_mode="left_to_right")
]
BODIES: dict[str, Any] = {
    "call.started": CallStartedEvent,
    "call.failed": CallFailedEvent,
    "call.completed": AnyCallCompleted,
    "call.intelligence.ready": IntelligenceReadyEvent,
}
"""By event; all others are a ``NotificationEvent``."""

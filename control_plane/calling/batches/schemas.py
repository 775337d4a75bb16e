"""Requests and responses of batches. The API spec only sets the number of recipients."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, StrictInt, StringConstraints

from contracts.clearable import Clearable
from control_plane.calling.calls.creating.post_call_merge import PostCallOverride
from control_plane.calling.dialing.retry import BATCH, RetryRules
from control_plane.calling.dialing.schedule import Schedule
from control_plane.calling.dialing.service import (
    DEFAULT_PRIORITY,
    HIGHEST_REQUESTED_PRIORITY,
    LOWEST_PRIORITY,
)

MAX_RECIPIENTS = 500
Priority = Annotated[StrictInt, Field(ge=LOWEST_PRIORITY, le=HIGHEST_REQUESTED_PRIORITY)]
WrittenNumber = Annotated[str, StringConstraints(max_length=64)]


class Recipient(BaseModel):
    """Whom to call. Fields that are left out are taken from the batch."""

    model_config = ConfigDict(extra="forbid")
    to: WrittenNumber = Field(description="The phone number, with `+` and country code.")
    from_number: WrittenNumber | None = None
    variables: Clearable[dict[str, Any]] = Field(
        default_factory=dict, description="Merged over the variables of the batch."
    )
    metadata: Clearable[dict[str, Any]] = Field(
        default_factory=dict, description="Merged over the metadata of the batch."
    )
    schedule: Schedule | None = None
    priority: Priority | None = None


class BatchRequest(BaseModel):
    """Calls to many phones with one agent."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "example": {
                "agent_id": "7f3c8f0e-0d1e-4a3b-9d55-2f1f1f6a9c11",
                "name": "Appointments of Monday",
                "recipients": [
                    {"to": "+14155550142", "variables": {"first_name": "Ada"}},
                    {"to": "+442079460123", "variables": {"first_name": "Grace"}},
                ],
                "schedule": {"window": {"start": "09:00", "end": "18:00"}},
                "retry": {"busy": {"attempts": 3, "wait_seconds": 300}},
            }
        },
    )
    agent_id: UUID
    recipients: Annotated[list[Recipient], Field(min_length=1, max_length=MAX_RECIPIENTS)]
    name: Annotated[str, StringConstraints(strip_whitespace=True, max_length=200)] | None = None
    from_number: WrittenNumber | None = Field(
        None,
        description="One of your numbers; by default the agent's number or your default number.",
    )
    variables: Clearable[dict[str, Any]] = Field(default_factory=dict)
    metadata: Clearable[dict[str, Any]] = Field(default_factory=dict)
    schedule: Clearable[Schedule] = Schedule()
    priority: Priority = Field(
        DEFAULT_PRIORITY, description="Calls with a higher priority are dialed first."
    )
    retry: Clearable[RetryRules] = BATCH
    post_call: PostCallOverride | None = None


class RefusedRecipient(BaseModel):
    index: int = Field(description="Index of the recipient in the request, from 0.")
    to: str
    code: str = Field(
        description="`invalid_phone_number`, `duplicate_recipient`, `number_on_do_not_call_list`, "
        "`no_caller_id`, `never_dialable`, or the code of an error of `POST /v1/calls`."
    )
    message: str


class BatchAccepted(BaseModel):
    id: UUID
    status: Literal["running"] = "running"
    total: int
    accepted: int
    rejected: int
    errors: list[RefusedRecipient]


class BatchProgress(BaseModel):
    """How many of the accepted recipients have each status."""

    waiting: int = Field(0, description="Not dialed yet, or waiting for the next attempt.")
    ringing: int = 0
    in_progress: int = 0
    completed: int = 0
    no_answer: int = 0
    busy: int = 0
    failed: int = 0
    canceled: int = 0

    @property
    def unfinished(self) -> int:
        return self.waiting + self.ringing + self.in_progress


class BatchView(BaseModel):
    id: UUID
    name: str | None
    agent_id: UUID
    status: Literal["running", "completed", "canceled"] = Field(
        description="`running` while any recipient waits or is in a call, even after `cancel`."
    )
    total: int
    accepted: int
    rejected: int
    progress: BatchProgress
    created_at: datetime
    canceled_at: datetime | None


class BatchPage(BaseModel):
    batches: list[BatchView]
    total: int
    offset: int
    limit: int


class BatchRowView(BaseModel):
    index: int
    to: str
    call_id: UUID | None
    status: str = Field(description="`rejected`, `waiting`, or the call's status.")
    end_reason: str | None
    code: str | None = Field(description="Why the recipient was rejected.")
    message: str | None


class BatchRowPage(BaseModel):
    recipients: list[BatchRowView]
    total: int
    offset: int
    limit: int

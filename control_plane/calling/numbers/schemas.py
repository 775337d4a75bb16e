"""Requests and responses of numbers. Source: API spec, "Number"."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    StrictBool,
    StrictInt,
    StringConstraints,
)

from control_plane.calling.numbers.phone_number import e164

MAX_CONCURRENT_CALLS = 10_000
PhoneNumber = Annotated[
    str,
    StringConstraints(max_length=64),
    AfterValidator(e164),
    Field(description="With `+` and country code; spaces, dots, dashes and brackets are ignored."),
]


class ManagedNumber(BaseModel):
    """A number that the operator gives to a tenant."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={"example": {"number": "+14155550100", "is_default": True}},
    )
    number: PhoneNumber
    carrier: Annotated[str, StringConstraints(min_length=1, max_length=64)] | None = Field(
        None,
        description="The carrier of its calls; can be left out if the installation has only one.",
    )
    agent_id: UUID | None = Field(
        None, description="The agent whose calls are made from this number."
    )
    is_default: StrictBool = Field(
        False,
        description="The number for calls that name none; a tenant has at most one default number.",
    )
    max_concurrent_calls: Annotated[StrictInt, Field(ge=1, le=MAX_CONCURRENT_CALLS)] | None = Field(
        None,
        description="How many calls from it may run at once; by default the installation's limit.",
    )


class NumberView(BaseModel):
    model_config = ConfigDict(from_attributes=True)
    id: UUID
    number: str = Field(description="E.164.")
    tenant_id: UUID
    agent_id: UUID | None
    carrier: str | None
    is_managed: bool = Field(description="True if the operator gave the number to the tenant.")
    is_default: bool
    max_concurrent_calls: int | None
    webhook_status: Literal["configured", "manual_required", "failed"] | None
    created_at: datetime


class NumberPage(BaseModel):
    numbers: list[NumberView]
    total: int
    offset: int
    limit: int


class NumberRemoved(BaseModel):
    status: Literal["removed"] = "removed"
    number: str

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

from contracts.carrier_accounts import CarrierProvider
from control_plane.calling.numbers.phone_number import e164
from control_plane.calling.numbers.webhook_setup import Setup, SetupStatus

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
    carrier_account_id: UUID | None = Field(
        description="The account of its calls (`/v1/carriers`), or the installation's own."
    )
    verified_by: Literal["operator", "carrier", "webhook"] | None = Field(
        description="What shows that the number is yours: the operator gave it, it is in your "
        "account at the carrier, or the carrier has called its webhook. null: nothing yet, and no "
        "call comes or goes."
    )
    user_id: UUID | None = Field(description="The person who registered it in a dashboard.")
    is_managed: bool = Field(description="True if the operator gave the number to the tenant.")
    is_default: bool
    max_concurrent_calls: int | None
    webhook_status: Literal["configured", "manual_required", "failed"] | None = Field(
        description="What came of setting the carrier's webhook the last time; null: it was not "
        "tried."
    )
    webhook_error: str | None = Field(description="What the carrier said, in a sentence.")
    created_at: datetime


class NumberPage(BaseModel):
    numbers: list[NumberView]
    total: int
    offset: int
    limit: int


class NumberRemoved(BaseModel):
    status: Literal["removed"] = "removed"
    number: str


class NumberRegistration(BaseModel):
    model_config = ConfigDict(
        extra="forbid", json_schema_extra={"example": {"number": "+14155550100"}}
    )
    number: Annotated[str, StringConstraints(max_length=64)] = Field(
        description="With `+` and country code; spaces, dots, dashes and brackets are ignored."
    )
    agent_id: UUID | None = Field(None, description="The agent that answers it.")


class NumberAttachment(BaseModel):
    model_config = ConfigDict(extra="forbid")
    agent_id: UUID = Field(description="The agent that answers the number.")


class WebhookResult(BaseModel):
    """What came of setting the carrier's webhook."""

    model_config = ConfigDict(serialize_by_alias=True, populate_by_name=True)
    status: SetupStatus = Field(
        description="`manual_required`: enter `webhookUrl` in the carrier's console. `no_carrier`: "
        "connect a carrier first (`POST /v1/carriers`)."
    )
    provider: CarrierProvider | None
    webhook_url: str | None = Field(alias="webhookUrl")
    verified: bool = Field(description="The carrier says that the number is in your account.")
    error: str | None = Field(
        None,
        description="Only if something failed.",
        exclude_if=lambda error: error is None,
        json_schema_extra={"x-may-be-absent": True},
    )

    @classmethod
    def of(cls, setup: Setup) -> WebhookResult:
        return cls.model_validate(
            {
                "status": setup.status,
                "provider": setup.provider,
                "webhook_url": setup.webhook_url,
                "verified": setup.verified,
                "error": setup.error,
            }
        )


class NumberRegistered(BaseModel):
    status: Literal["registered"] = "registered"
    number: str = Field(description="E.164.")
    agent_id: UUID | None
    webhook: WebhookResult | None = Field(
        None,
        description="Present if the number has an agent.",
        exclude_if=lambda webhook: webhook is None,
        json_schema_extra={"x-may-be-absent": True},
    )


class NumberAttached(BaseModel):
    status: Literal["attached"] = "attached"
    agent_id: UUID
    number: str
    webhook: WebhookResult


class NumberWebhook(BaseModel):
    number: str
    webhook: WebhookResult


class NumberDetached(BaseModel):
    status: Literal["detached"] = "detached"
    number: str

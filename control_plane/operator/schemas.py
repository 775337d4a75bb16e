"""Requests and responses of the operator's routes."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    StrictBool,
    StrictInt,
    StringConstraints,
    field_validator,
)
from pydantic.config import JsonDict

from contracts.json_types import Timestamp
from control_plane.calling.numbers.schemas import PhoneNumber
from control_plane.identity.tenants.schemas import Name
from control_plane.money.billing.counter_accounts import CounterAccount

Reason = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=500)]
Reference = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200)]
PersonName = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200)]
PlanId = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]{0,62}$")]
Cap = Annotated[StrictInt, Field(ge=0, le=1_000_000)]
Usd = Annotated[Decimal, Field(le=1_000_000, decimal_places=6)]
Tier = Literal["free", "enterprise"]

_AN_ID = "b1a6c0de-52a9-4d59-8f0e-6a7f8c9d0e1f"


class TenantView(BaseModel):
    id: UUID
    name: str
    tier: Tier
    plan_id: str
    created_at: datetime
    balance_usd: float
    held_usd: float = Field(description="Reserved by running calls.")
    available_usd: float
    agents: int
    calls_last_30_days: int


class TenantDetail(TenantView):
    owner_emails: list[str]
    calls: int = Field(description="All calls so far.")
    running_calls: int
    calls_at_once: int | None = Field(
        description="Its own cap on open calls; null: its plan's. 0: no limit."
    )
    calls_not_joined: int | None = Field(
        description="Its own cap on calls that nobody has joined yet; null: its plan's. "
        "0: no limit."
    )


class TenantPage(BaseModel):
    tenants: list[TenantView]
    total: int
    limit: int
    offset: int


class TenantChanges(BaseModel):
    """Fields that you leave out stay as they are."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"example": {"tier": "enterprise"}})
    name: Name | None = None
    tier: Tier | None = None
    plan_id: PlanId | None = None
    calls_at_once: Cap | None = Field(
        None, description="The most open calls. null: what its plan says. 0: no limit."
    )
    calls_not_joined: Cap | None = Field(
        None,
        description="The most calls that nobody has joined yet. null: what its plan says. "
        "0: no limit.",
    )

    @field_validator("name", "tier", "plan_id", mode="before")
    @classmethod
    def _not_null(cls, value: Any) -> Any:
        if value is None:
            raise ValueError("must not be null; leave it out to keep its value")
        return value


class CreditGrant(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "example": {
                "amount_usd": 25,
                "description": "Goodwill for the outage of 3 May",
                "reference": "ticket-4711",
            }
        },
    )
    amount_usd: Usd = Field(gt=0, description="At most six decimal places.")
    description: Reason = Field(description="Shown to the tenant in its transactions.")
    bucket: Literal["free", "purchased"] = Field(
        "free", description="Whether the credit is a gift or was paid for."
    )
    reference: Reference | None = Field(
        None,
        description="What the credit is for. A tenant gets each reference only once, even if you "
        "repeat the request.",
    )


class CreditGranted(BaseModel):
    transaction_id: UUID
    tenant_id: UUID
    amount_usd: float
    balance_usd: float
    already_posted: bool = Field(
        description="Whether the reference was already posted; if so, nothing changed."
    )


class Adjustment(BaseModel):
    """What debits and corrections have in common."""

    model_config = ConfigDict(extra="forbid")
    reason: Reason = Field(description="Why. Shown to the tenant in its transactions.")
    posted_by: PersonName = Field(
        description="Who decided it: a name or a mail address. Kept with the transaction, where "
        "the tenant sees it, and in the audit log."
    )
    reference: Reference | None = Field(
        None,
        description="What it is for. A tenant gets each reference only once, even if you repeat "
        "the request.",
    )


class Debit(Adjustment):
    model_config = ConfigDict(
        json_schema_extra={
            "example": {
                "amount_usd": 12.5,
                "reason": "Refund of 3 May, paid out by bank transfer",
                "posted_by": "mia@voice.example",
                "reference": "refund-118",
            }
        },
    )
    amount_usd: Usd = Field(
        gt=0,
        description="What is taken, with at most six decimal places: of plan credit first, then of "
        "free credit, then of purchased credit.",
    )


class Correction(Adjustment):
    model_config = ConfigDict(
        json_schema_extra={
            "example": {
                "amount_usd": -2.5,
                "reason": "The credit of 3 May was posted twice",
                "posted_by": "mia@voice.example",
                "corrects": _AN_ID,
                "reference": "ticket-4712",
            }
        },
    )
    amount_usd: Usd = Field(
        ge=-1_000_000,
        description="What it adds to the balance; below 0 to take something. Not 0.",
    )
    bucket: Literal["free", "purchased"] = Field(
        "free",
        description="Where a positive amount goes. A negative one takes plan credit first, then "
        "free credit, then purchased credit.",
    )
    corrects: UUID | None = Field(None, description="The transaction that was wrong.")

    @field_validator("amount_usd")
    @classmethod
    def _not_zero(cls, value: Decimal) -> Decimal:
        if value == 0:
            raise ValueError("must not be 0")
        return value


class Adjusted(BaseModel):
    transaction_id: UUID
    tenant_id: UUID
    amount_usd: float = Field(description="What it added to the balance; below 0 for a debit.")
    booked_against: CounterAccount = Field(
        description="The installation's account that it took `amount_usd` from. A correction of a "
        "transaction goes to that transaction's account."
    )
    balance_usd: float
    already_posted: bool = Field(
        description="Whether the reference was already posted; if so, nothing changed."
    )


Quota = Annotated[StrictInt, Field(ge=0, le=10**15)]


class PlanCreate(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "example": {
                "id": "growth",
                "display_name": "Growth",
                "monthly_credit_usd": 99,
                "byok_allowed": True,
            }
        },
    )
    id: PlanId
    display_name: Name
    monthly_credit_usd: Usd = Field(Decimal(0), ge=0)
    byok_allowed: StrictBool = Field(
        True, description="Whether tenants may use their own provider keys."
    )
    calls_at_once: Cap | None = Field(
        None,
        description="The most open calls of a tenant. null: as the installation is set. "
        "0: no limit.",
    )
    calls_not_joined: Cap | None = Field(
        None,
        description="The most calls of a tenant that nobody has joined yet. null: as the "
        "installation is set. 0: no limit.",
    )
    dispatch_weight: Annotated[StrictInt, Field(ge=1, le=100)] = Field(
        1,
        description="While calls wait for media workers, tenants take turns; so many calls of a "
        "tenant begin in one turn.",
    )
    phone_numbers_max: Annotated[StrictInt, Field(ge=0, le=1_000_000)] | None = Field(
        None, description="How many phone numbers a tenant may register. null: no limit."
    )
    knowledge_sources_max: Quota | None = Field(
        None, description="How many knowledge sources a tenant may have. null: no limit."
    )
    knowledge_bytes_max: Quota | None = Field(
        None, description="How many bytes a tenant's knowledge sources may have. null: no limit."
    )
    knowledge_sources_soft_max: Quota | None = Field(
        None, description="Above it, requests succeed and a header of their answers says so."
    )
    knowledge_bytes_soft_max: Quota | None = Field(None, description="The same for bytes.")


class PlanView(BaseModel):
    id: str
    display_name: str
    monthly_credit_usd: float
    byok_allowed: bool
    calls_at_once: int | None
    calls_not_joined: int | None
    dispatch_weight: int
    phone_numbers_max: int | None
    knowledge_sources_max: int | None
    knowledge_bytes_max: int | None
    knowledge_sources_soft_max: int | None
    knowledge_bytes_soft_max: int | None


class PlanList(BaseModel):
    plans: list[PlanView]


class PauseWanted(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={"example": {"reason": "Complaints about unwanted calls"}},
    )
    reason: Reason = Field(description="Shown to the tenant.")
    end_running_calls: StrictBool = Field(
        False, description="Whether to end running calls, too; otherwise they continue."
    )


_PAUSE: JsonDict = {
    "agent_id": _AN_ID,
    "agent_name": "Reception",
    "tenant_id": _AN_ID,
    "reason": "Complaints about unwanted calls",
    "paused_at": "2026-01-05T09:30:00Z",
}


class PauseView(BaseModel):
    model_config = ConfigDict(json_schema_extra={"example": _PAUSE})
    agent_id: UUID
    agent_name: str
    tenant_id: UUID
    reason: str
    paused_at: datetime


class Paused(PauseView):
    model_config = ConfigDict(json_schema_extra={"example": _PAUSE | {"ending_calls": 2}})
    ending_calls: int = Field(description="How many running calls were asked to end.")


class PausePage(BaseModel):
    paused_agents: list[PauseView]
    total: int
    limit: int
    offset: int


class PlatformWanted(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "example": {"calls_enabled": False, "message": "Maintenance until 18:00 UTC."}
        },
    )
    calls_enabled: StrictBool
    message: Reason | None = Field(None, description="Shown to clients while calls are disabled.")


class PlatformView(BaseModel):
    calls_enabled: bool
    message: str | None
    updated_at: datetime


class Announcement(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "example": {
                "title": "Maintenance on Sunday night",
                "message": "No new calls between 02:00 and 02:30 UTC.",
                "starts_at": "2026-05-03T02:00:00Z",
                "ends_at": "2026-05-03T02:30:00Z",
            }
        },
    )
    title: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200)]
    message: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=2000)]
    starts_at: Timestamp | None = None
    ends_at: Timestamp | None = None
    tenant_id: UUID | None = Field(None, description="Left out: every tenant.")


class Announced(BaseModel):
    status: Literal["announced"] = "announced"
    tenants: int = Field(description="How many are told.")


class PortedNumber(BaseModel):
    model_config = ConfigDict(
        extra="forbid", json_schema_extra={"example": {"number": "+14155550100"}}
    )
    number: PhoneNumber


class PortingTold(BaseModel):
    status: Literal["announced"] = "announced"
    tenant_id: UUID
    number: str = Field(description="E.164.")

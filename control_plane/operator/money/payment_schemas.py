"""Requests and responses of the operator's routes about packs, taxes, invoices and gateways."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from typing import Annotated
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, StrictBool, StrictInt, StringConstraints

from control_plane.money.payments.schemas import Country
from control_plane.operator.schemas import Reason
from control_plane.platform.settings import GatewayName

Cents = Annotated[StrictInt, Field(ge=0, le=100_000_000)]
Percent = Annotated[Decimal, Field(ge=0, le=100, decimal_places=4)]
Words = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=60)]


class PackCreate(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "example": {"display_name": "$50", "price_cents": 5000, "bonus_cents": 500}
        },
    )
    display_name: Words
    price_cents: Annotated[Cents, Field(ge=100)] = Field(
        description="What it adds to the credit. Its price, before taxes that come on top."
    )
    bonus_cents: Cents = Field(0, description="What it adds for free.")
    sort_order: Annotated[StrictInt, Field(ge=0, le=1_000_000)] = Field(
        0, description="The lowest comes first."
    )


class PackWithdrawn(BaseModel):
    id: UUID


class TaxRateCreate(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "example": {
                "country": "DE",
                "kind": "VAT",
                "percent": 19,
                "is_inclusive": False,
                "reverse_charge": True,
            }
        },
    )
    country: Country
    kind: Words = Field(description="What it is called on invoices.")
    percent: Percent
    is_inclusive: StrictBool = Field(
        False, description="Whether the packs' prices contain it. If not, it comes on top."
    )
    reverse_charge: StrictBool = Field(
        False, description="Whether a tenant with a tax id owes it, and pays you none."
    )


class TaxRateView(BaseModel):
    id: UUID
    country: str
    kind: str
    percent: float
    is_inclusive: bool
    reverse_charge: bool
    created_at: datetime


class TaxRateList(BaseModel):
    tax_rates: list[TaxRateView]


class TaxRateEnded(BaseModel):
    id: UUID


class InvoiceVoid(BaseModel):
    model_config = ConfigDict(
        extra="forbid", json_schema_extra={"example": {"reason": "Issued to the wrong company"}}
    )
    reason: Reason = Field(description="Stands on the credit note.")


class InvoiceVoided(BaseModel):
    id: UUID
    invoice_number: str
    voided_at: datetime
    credit_note_number: str | None = Field(
        description="null: earlier credit notes had taken all of it back."
    )


class PaymentProfileChanges(BaseModel):
    model_config = ConfigDict(
        extra="forbid", json_schema_extra={"example": {"preferred_gateway": "razorpay"}}
    )
    preferred_gateway: GatewayName | None = Field(
        description="The gateway that the tenant pays through if it is configured. null: the one "
        "of its country."
    )


class PaymentProfileView(BaseModel):
    tenant_id: UUID
    billing_country: str | None
    tax_id: str | None
    preferred_gateway: str | None

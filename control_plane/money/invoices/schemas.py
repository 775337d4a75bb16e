"""Responses of invoices. Source: API spec, "Billing records"."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from pydantic import BaseModel, Field


class TaxView(BaseModel):
    kind: str
    percent: float
    amount_minor: int
    is_reverse_charged: bool = Field(description="You owe this tax yourself.")


class InvoiceView(BaseModel):
    """Amounts are integers in minor units of the invoice's own currency."""

    id: UUID
    invoice_number: str
    tenant_id: UUID
    kind: str = Field(description="`topup`, `plan_cycle` or `credit_note`.")
    status: str = Field(
        description="`paid` or `voided`, and `issued` where nobody pays: for a `plan_cycle` and a "
        "`credit_note`."
    )
    currency: str
    subtotal_minor: int
    tax_minor: int
    discount_minor: int
    total_minor: int
    taxes: list[TaxView]
    gateway: str | None
    gateway_invoice_id: str | None
    payment_event_id: UUID = Field(
        description="The payment that it is for. Of a `plan_cycle`, the transaction that granted "
        "its credit."
    )
    credited_invoice_id: UUID | None = Field(
        description="The invoice that a credit note takes back, in whole or in part."
    )
    period_start: datetime | None = Field(
        description="Of a `plan_cycle`, the beginning of the month of UTC; else null."
    )
    period_end: datetime | None = Field(description="When the next month begins.")
    issued_at: datetime
    paid_at: datetime | None
    voided_at: datetime | None


class InvoiceItemView(BaseModel):
    id: UUID
    invoice_id: UUID
    kind: str
    description: str
    quantity: int
    unit_amount_minor: int
    amount_minor: int
    plan_id: str | None
    credit_transaction_id: UUID | None


class InvoiceList(BaseModel):
    invoices: list[InvoiceView]
    next_cursor: UUID | None


class InvoiceDetail(BaseModel):
    invoice: InvoiceView
    items: list[InvoiceItemView]

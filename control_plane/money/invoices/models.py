"""Tables of invoices. Amounts are integers in minor units of the invoice's own currency."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy import ForeignKey, Identity, func
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from control_plane.platform.database import Base


class Invoice(Base):
    """An invoice, or a credit note, which takes an invoice back in whole or in part.

    What is paid has an invoice of the kind ``topup``. The credit that a plan includes in a month
    has one of the kind ``plan_cycle``, which a discount makes free.

    Only ``status`` and ``voided_at`` ever change.
    """

    __tablename__ = "invoices"

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    invoice_number: Mapped[str]
    tenant_id: Mapped[UUID]
    kind: Mapped[str]
    """``topup``, ``plan_cycle`` or ``credit_note``."""
    status: Mapped[str]
    """``paid`` or ``voided``, and ``issued`` where nobody pays: a plan's month, a credit note."""
    currency: Mapped[str]
    subtotal_minor: Mapped[int]
    tax_minor: Mapped[int]
    discount_minor: Mapped[int]
    total_minor: Mapped[int]
    taxes: Mapped[list[dict[str, Any]]] = mapped_column(JSONB)
    gateway: Mapped[str | None]
    gateway_invoice_id: Mapped[str | None]
    payment_event_id: Mapped[UUID]
    """The payment that it is for; of a plan's month, the ledger entry of its credit."""
    credited_invoice_id: Mapped[UUID | None] = mapped_column(ForeignKey("invoices.id"))
    reference: Mapped[str]
    """What it is for. Unique, so that nothing is invoiced twice."""
    billed_to: Mapped[dict[str, Any]]
    period_start: Mapped[datetime | None]
    """Of a plan's month, as ``period_end``, which is not part of it."""
    period_end: Mapped[datetime | None]
    issued_at: Mapped[datetime]
    paid_at: Mapped[datetime | None]
    voided_at: Mapped[datetime | None]
    position: Mapped[int] = mapped_column(Identity(always=True))
    """The order in which they were issued, over all tenants. PostgreSQL counts."""


class InvoiceItem(Base):
    __tablename__ = "invoice_items"

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    invoice_id: Mapped[UUID] = mapped_column(ForeignKey("invoices.id"))
    tenant_id: Mapped[UUID]
    line: Mapped[int]
    kind: Mapped[str]
    description: Mapped[str]
    quantity: Mapped[int]
    unit_amount_minor: Mapped[int]
    amount_minor: Mapped[int]
    plan_id: Mapped[str | None]
    credit_transaction_id: Mapped[UUID | None]


class InvoiceCounter(Base):
    """The last number of a year. It moves in the transaction of the invoice that takes the number,
    so none is lost."""

    __tablename__ = "invoice_counters"

    prefix: Mapped[str] = mapped_column(primary_key=True)
    year: Mapped[int] = mapped_column(primary_key=True)
    last_number: Mapped[int]


class TaxRate(Base):
    """A tax of a country. Rows are added and ended, never changed."""

    __tablename__ = "tax_rates"

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    country: Mapped[str]
    kind: Mapped[str]
    percent: Mapped[Decimal]
    is_inclusive: Mapped[bool]
    reverse_charge: Mapped[bool]
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    ended_at: Mapped[datetime | None]

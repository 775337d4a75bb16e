"""Tables of billing. Every amount is in micro-dollars."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy import Identity, func
from sqlalchemy.orm import Mapped, mapped_column

from control_plane.money.billing.buckets import Buckets
from control_plane.platform.database import Base


class BillingAccount(Base):
    """A tenant's totals: the sums of its ledger entries and of its open reserves.

    PostgreSQL moves them when an entry is added or a reserve changes, and refuses every other
    change (revision 0020). Simultaneous calls queue for this row.
    """

    __tablename__ = "billing_accounts"

    tenant_id: Mapped[UUID] = mapped_column(primary_key=True)
    is_active: Mapped[bool] = mapped_column(default=True)
    free_micros: Mapped[int] = mapped_column(default=0)
    purchased_micros: Mapped[int] = mapped_column(default=0)
    held_micros: Mapped[int] = mapped_column(default=0)

    @property
    def buckets(self) -> Buckets:
        return Buckets(self.free_micros, self.purchased_micros)


class LedgerEntry(Base):
    """One movement of credit, never changed or deleted. Positive amounts add to the tenant's
    balance.

    ``reference`` names what the entry is for. It is unique per tenant (``LedgerReference``), so
    that nothing is posted twice. The table is partitioned by the month of ``created_at``.
    """

    __tablename__ = "ledger_entries"

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    position: Mapped[int] = mapped_column(Identity(always=True))
    tenant_id: Mapped[UUID]
    reference: Mapped[str]
    transaction_type: Mapped[str]
    call_id: Mapped[UUID | None]
    free_micros: Mapped[int]
    purchased_micros: Mapped[int]
    amount_seconds: Mapped[int]
    description: Mapped[str]
    details: Mapped[dict[str, Any]] = mapped_column("metadata", default=dict)
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())

    @property
    def amount_micros(self) -> int:
        return self.free_micros + self.purchased_micros


class LedgerReference(Base):
    """Which entry has a reference, added by PostgreSQL when the entry is posted. It refuses the
    second entry with one reference."""

    __tablename__ = "ledger_references"

    tenant_id: Mapped[UUID] = mapped_column(primary_key=True)
    reference: Mapped[str] = mapped_column(primary_key=True)
    entry_id: Mapped[UUID]


class LedgerDay(Base):
    """A tenant's entries of one UTC day, added up by PostgreSQL when they are posted."""

    __tablename__ = "ledger_days"

    tenant_id: Mapped[UUID] = mapped_column(primary_key=True)
    day: Mapped[date] = mapped_column(primary_key=True)
    entries: Mapped[int]
    free_micros: Mapped[int]
    purchased_micros: Mapped[int]
    charged_micros: Mapped[int]
    """What charges took, as a positive amount."""


class LedgerAudit(Base):
    """The last comparison of a UTC day's entries with its totals, for all tenants."""

    __tablename__ = "ledger_audits"

    day: Mapped[date] = mapped_column(primary_key=True)
    audited_at: Mapped[datetime]
    balanced: Mapped[bool]


class CallReserve(Base):
    """The credit that one call holds. It is settled or released exactly once.

    The reserve of a phone call is empty until a phone is dialed.
    """

    __tablename__ = "call_reserves"

    call_id: Mapped[UUID] = mapped_column(primary_key=True)
    tenant_id: Mapped[UUID]
    state: Mapped[str] = mapped_column(default="open")
    held_micros: Mapped[int]
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    resolved_at: Mapped[datetime | None]

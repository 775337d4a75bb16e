"""Tables of billing. Every amount is in micro-dollars."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy import Identity, func
from sqlalchemy.orm import Mapped, mapped_column

from control_plane.money.billing.buckets import Buckets, spendable_micros
from control_plane.platform.database import Base


class BillingAccount(Base):
    """A tenant's totals: the sums of its ledger entries and of its open reserves.

    PostgreSQL moves them when an entry is added or a reserve changes, and refuses every other
    change of a total (revisions 0020 and 0050). Simultaneous calls queue for this row, which is why
    the settings that decide about a call's credit are here, too.
    """

    __tablename__ = "billing_accounts"

    tenant_id: Mapped[UUID] = mapped_column(primary_key=True)
    is_active: Mapped[bool] = mapped_column(default=True)
    plan_micros: Mapped[int] = mapped_column(default=0)
    free_micros: Mapped[int] = mapped_column(default=0)
    purchased_micros: Mapped[int] = mapped_column(default=0)
    held_micros: Mapped[int] = mapped_column(default=0)
    held_plan_micros: Mapped[int] = mapped_column(default=0)
    """The part of ``held_micros`` that is held in the plan bucket."""
    held_free_micros: Mapped[int] = mapped_column(default=0)
    plan_period: Mapped[date | None]
    """The first day of the UTC month whose plan credit was granted last."""
    extra_usage: Mapped[bool] = mapped_column(default=True)
    """Whether calls go on to purchased credit when plan and free credit are used up."""
    watch_below_micros: Mapped[int | None]
    """A job is added when available credit falls below it (``credit_watch.py``)."""

    last_topup_id: Mapped[UUID | None]
    """The ledger entry of the last top-up."""
    last_topup_micros: Mapped[int | None]

    @property
    def buckets(self) -> Buckets:
        return Buckets(self.free_micros, self.purchased_micros, self.plan_micros)

    @property
    def spendable_micros(self) -> int:
        purchased = self.held_micros - self.held_plan_micros - self.held_free_micros
        held = Buckets(self.held_free_micros, purchased, self.held_plan_micros)
        return spendable_micros(self.buckets - held, extra_usage=self.extra_usage)


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
    plan_micros: Mapped[int] = mapped_column(default=0)
    free_micros: Mapped[int]
    purchased_micros: Mapped[int]
    amount_seconds: Mapped[int]
    description: Mapped[str]
    details: Mapped[dict[str, Any]] = mapped_column("metadata", default=dict)
    counter_account: Mapped[str | None]
    """The account of the installation that the entry is booked against; ``None``: as
    ``counter_accounts.COUNTER_ACCOUNTS`` says for its type."""
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())

    @property
    def buckets(self) -> Buckets:
        return Buckets(self.free_micros, self.purchased_micros, self.plan_micros)

    @property
    def amount_micros(self) -> int:
        return self.buckets.total_micros


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
    plan_micros: Mapped[int]
    free_micros: Mapped[int]
    purchased_micros: Mapped[int]
    charged_micros: Mapped[int]
    """What charges took, as a positive amount."""


class CounterDay(Base):
    """What an account of the installation gained on one UTC day by a tenant's entries, added up by
    PostgreSQL when they are posted. With the tenant's buckets it adds up to nothing."""

    __tablename__ = "counter_days"

    tenant_id: Mapped[UUID] = mapped_column(primary_key=True)
    day: Mapped[date] = mapped_column(primary_key=True)
    counter_account: Mapped[str] = mapped_column(primary_key=True)
    micros: Mapped[int]


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
    """The call's."""
    payer_tenant_id: Mapped[UUID | None]
    """Whose account holds the credit; ``None``: the call's tenant's."""
    state: Mapped[str] = mapped_column(default="open")
    held_micros: Mapped[int]
    held_plan_micros: Mapped[int] = mapped_column(default=0)
    """The part of ``held_micros`` that is held in the plan bucket."""
    held_free_micros: Mapped[int] = mapped_column(default=0)
    carried_micros: Mapped[int] = mapped_column(default=0)
    """The part of ``held_plan_micros`` that an earlier month granted. What the call does not use of
    it expires when it is given back."""
    plan_period: Mapped[date | None]
    """The account's ``plan_period`` when the reserve last changed."""
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    resolved_at: Mapped[datetime | None]

    @property
    def payer_id(self) -> UUID:
        return self.payer_tenant_id or self.tenant_id

    @property
    def held(self) -> Buckets:
        """What it holds in each bucket. What a process of the previous release holds counts as held
        in the purchased bucket."""
        plan = min(self.held_plan_micros, self.held_micros)
        free = min(self.held_free_micros, self.held_micros - plan)
        return Buckets(free, self.held_micros - plan - free, plan)

    def hold(self, parts: Buckets) -> None:
        self.held_micros = parts.total_micros
        self.held_plan_micros = parts.plan_micros
        self.held_free_micros = parts.free_micros

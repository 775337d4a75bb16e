"""Reserves and accounts that a transaction has locked in advance: those of many calls with one
statement per table.

The repository looks here first. So the ledger's rules are the same for one call and for many, and
need no statement per call."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.money.billing.buckets import Buckets, spendable_micros
from control_plane.money.billing.models import CallReserve

_INFO = "billing.locked_ahead"


@dataclass
class LockedAccount:
    """A tenant's totals, locked until the end of the transaction.

    PostgreSQL moves the account itself. Who adds an entry or changes a reserve also moves these
    totals, because the transaction's later calls are checked against them.
    """

    tenant_id: UUID
    is_active: bool
    plan_micros: int
    free_micros: int
    purchased_micros: int
    held_micros: int
    held_plan_micros: int
    held_free_micros: int
    plan_period: date | None
    extra_usage: bool
    watch_below_micros: int | None

    @property
    def buckets(self) -> Buckets:
        return Buckets(self.free_micros, self.purchased_micros, self.plan_micros)

    @property
    def held(self) -> Buckets:
        purchased = self.held_micros - self.held_plan_micros - self.held_free_micros
        return Buckets(self.held_free_micros, purchased, self.held_plan_micros)

    @property
    def available(self) -> Buckets:
        """What no call holds. A bucket is below 0 after a correction, a refund or a dispute that
        took more than there was, and where a process of the previous release holds credit."""
        return self.buckets - self.held

    @property
    def available_micros(self) -> int:
        return self.available.total_micros

    @property
    def spendable_micros(self) -> int:
        return spendable_micros(self.available, extra_usage=self.extra_usage)

    def add(self, change: Buckets) -> None:
        self.plan_micros += change.plan_micros
        self.free_micros += change.free_micros
        self.purchased_micros += change.purchased_micros

    def hold(self, change: Buckets) -> None:
        """Hold more, or with a negative change less."""
        self.held_micros += change.total_micros
        self.held_plan_micros += change.plan_micros
        self.held_free_micros += change.free_micros


@dataclass(frozen=True)
class LockedAhead:
    calls: frozenset[UUID]
    reserves: dict[UUID, CallReserve]
    """By call: the reserves that were open when they were locked."""
    accounts: dict[UUID, LockedAccount]
    """By tenant."""


NOTHING = LockedAhead(frozenset(), {}, {})


def keep_locked(session: AsyncSession, locked: LockedAhead) -> None:
    session.info[_INFO] = locked


def locked_ahead(session: AsyncSession) -> LockedAhead:
    found: LockedAhead = session.info.get(_INFO, NOTHING)
    return found

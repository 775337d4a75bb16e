"""Reserves and accounts that a transaction has locked in advance: those of many calls with one
statement per table.

The repository looks here first. So the ledger's rules are the same for one call and for many, and
need no statement per call."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.money.billing.buckets import Buckets
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
    free_micros: int
    purchased_micros: int
    held_micros: int

    @property
    def buckets(self) -> Buckets:
        return Buckets(self.free_micros, self.purchased_micros)

    @property
    def available_micros(self) -> int:
        """What is not held by a call; below 0 if a correction took more than that."""
        return self.free_micros + self.purchased_micros - self.held_micros


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

"""Reserves and accounts that a transaction has locked in advance: those of many calls with one
statement per table.

The repository looks here first. So the ledger's rules are the same for one call and for many, and
need no statement per call."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.money.billing.models import BillingAccount, CallReserve

_INFO = "billing.locked_ahead"


@dataclass(frozen=True)
class LockedAhead:
    calls: frozenset[UUID]
    reserves: dict[UUID, CallReserve]
    """By call: the reserves that were open when they were locked."""
    accounts: dict[UUID, BillingAccount]
    """By tenant."""


NOTHING = LockedAhead(frozenset(), {}, {})


def keep_locked(session: AsyncSession, locked: LockedAhead) -> None:
    session.info[_INFO] = locked


def locked_ahead(session: AsyncSession) -> LockedAhead:
    found: LockedAhead = session.info.get(_INFO, NOTHING)
    return found

"""Throttling what can be guessed or abused before anybody is known.

Counted in PostgreSQL, before the attempt is made: guesses sent at the same time count each other,
and the limits hold when Valkey is away. What succeeds is taken off again. A row lives no longer
than its window, so the table holds what one window brings; an address that is over its limit adds
none.
"""

from __future__ import annotations

import hashlib
import ipaddress
import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import case, func, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.identity.accounts.errors import TooManyAttempts
from control_plane.identity.accounts.models import AttemptCount
from control_plane.platform.database import Database

_IPV6_CUSTOMER_BITS = 64


@dataclass(frozen=True)
class Limit:
    name: str
    attempts: int
    window_seconds: int

    def of(self, *subject: str) -> Counter:
        """The counter of one address, account, …"""
        key = "\0".join((self.name, *subject))
        return Counter(self, hashlib.sha256(key.encode()).digest())


@dataclass(frozen=True)
class Counter:
    limit: Limit
    key_hash: bytes


LOGINS_PER_ADDRESS = Limit("login address", 100, 15 * 60)
LOGINS_PER_ACCOUNT = Limit("login account", 10, 15 * 60)
SIGN_UPS_PER_ADDRESS = Limit("sign-up address", 20, 60 * 60)
RESETS_PER_ADDRESS = Limit("reset address", 20, 15 * 60)
RESETS_PER_ACCOUNT = Limit("reset account", 3, 15 * 60)


def network_of(address: str | None) -> str:
    """What one customer has of the internet: an IPv4 address, or an IPv6 network of 64 bits."""
    try:
        found = ipaddress.ip_address(address or "")
    except ValueError:
        return "unknown"
    if isinstance(found, ipaddress.IPv6Address):
        if found.ipv4_mapped is not None:
            return str(found.ipv4_mapped)
        return str(ipaddress.ip_network((int(found), _IPV6_CUSTOMER_BITS), strict=False))
    return str(found)


async def count_attempt(database: Database, counters: Sequence[Counter], now: datetime) -> None:
    """Count one attempt on each of ``counters``, in an order that all requests share: address
    first.

    Raises:
        TooManyAttempts: one of them is over its limit.
        DatabaseUnavailable: PostgreSQL is away.
    """
    blocked_until: datetime | None = None
    # A transaction of its own: a refused attempt has to stay counted.
    async with database.system_session() as session:
        for counter in counters:
            blocked_until = await _count(session, counter, now)
            if blocked_until is not None:
                break
    if blocked_until is not None:
        wait_seconds = max(1, math.ceil((blocked_until - now).total_seconds()))
        raise TooManyAttempts(retry_after_seconds=wait_seconds)


async def forgive_attempt(session: AsyncSession, counters: Sequence[Counter]) -> None:
    """Take an attempt off that succeeded."""
    for counter in counters:
        await session.execute(
            update(AttemptCount)
            .where(AttemptCount.key_hash == counter.key_hash)
            .values(attempts=func.greatest(AttemptCount.attempts - 1, 0))
        )


async def _count(session: AsyncSession, counter: Counter, now: datetime) -> datetime | None:
    """When the window ends, if this attempt is one too many in it."""
    has_ended = AttemptCount.window_ends_at <= now
    ends_at = now + timedelta(seconds=counter.limit.window_seconds)
    counted = await session.execute(
        insert(AttemptCount)
        .values(key_hash=counter.key_hash, attempts=1, window_ends_at=ends_at)
        .on_conflict_do_update(
            index_elements=["key_hash"],
            set_={
                "attempts": case((has_ended, 1), else_=AttemptCount.attempts + 1),
                "window_ends_at": case((has_ended, ends_at), else_=AttemptCount.window_ends_at),
            },
        )
        .returning(AttemptCount.attempts, AttemptCount.window_ends_at)
    )
    attempts, window_ends_at = counted.one()
    return window_ends_at if attempts > counter.limit.attempts else None

"""Limits on attempts at login, sign-up and password reset, which anybody can try.

Each attempt is counted in PostgreSQL before it is made. So simultaneous guesses all count, and the
limits hold when Redis is down. A successful attempt is subtracted again. A row lives no longer than
its window, and an address over its limit adds no rows.

Operator tokens are counted only when they were wrong, so that the operator may send any number of
requests at once. So guesses that arrive at the same moment are all checked.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.identity.accounts.errors import TooManyAttempts
from control_plane.identity.accounts.login import attempt_repository as repository
from control_plane.identity.accounts.login.used_up import UsedUpCounters
from control_plane.platform.database import Database
from listeners.subscriber import subscriber_of

_used_up = UsedUpCounters()


@dataclass(frozen=True)
class Limit:
    name: str
    attempts: int
    window_seconds: int

    def of(self, *subject: str) -> Counter:
        """The counter of one subject: an address, an account, …"""
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
OPERATOR_TOKENS_PER_ADDRESS = Limit("operator token address", 20, 15 * 60)
"""Wrong ones only."""


def network_of(address: str | None) -> str:
    """The network that one internet subscriber has: an IPv4 address, or a /64 of IPv6."""
    return subscriber_of(address or "") or "unknown"


async def count_attempt(database: Database, counters: Sequence[Counter], now: datetime) -> None:
    """Count one attempt on each of ``counters``. Pass the address's counter first: an address over
    its limit then adds no further rows.

    Raises:
        TooManyAttempts: one of them is over its limit.
        DatabaseUnavailable: PostgreSQL is down.
    """
    refuse_if_known(database, counters, now)
    blocked_until: datetime | None = None
    # In its own transaction, because a refused attempt must stay counted.
    async with database.system_session() as session:
        for counter in counters:
            counted = await repository.count(
                session, counter.key_hash, now, window_seconds=counter.limit.window_seconds
            )
            if counted.attempts > counter.limit.attempts:
                blocked_until = counted.window_ends_at
                _used_up.note(database, counter.key_hash, blocked_until)
                break
    if blocked_until is not None:
        raise _too_many(blocked_until, now)


async def refuse_if_used_up(database: Database, counter: Counter, now: datetime) -> None:
    """For attempts that are counted only when they have failed, such as those with a token that
    takes no time to check.

    Raises:
        TooManyAttempts: ``counter`` has reached its limit.
        DatabaseUnavailable: PostgreSQL is down.
    """
    refuse_if_known(database, [counter], now)
    async with database.system_statements() as session:
        counted = await repository.counted(session, counter.key_hash, now)
    if counted is not None and counted.attempts >= counter.limit.attempts:
        _used_up.note(database, counter.key_hash, counted.window_ends_at)
        raise _too_many(counted.window_ends_at, now)


async def forgive_attempt(session: AsyncSession, counters: Sequence[Counter]) -> None:
    """Subtract an attempt that succeeded."""
    for counter in counters:
        await repository.take_off(session, counter.key_hash)


def refuse_if_known(database: Database, counters: Sequence[Counter], now: datetime) -> None:
    """Refuse again from memory what was refused a moment ago, without asking PostgreSQL.

    Raises:
        TooManyAttempts: one of ``counters`` was over its limit then.
    """
    for counter in counters:
        until = _used_up.until(database, counter.key_hash, now)
        if until is not None:
            raise _too_many(until, now)


def _too_many(blocked_until: datetime, now: datetime) -> TooManyAttempts:
    wait_seconds = max(1, math.ceil((blocked_until - now).total_seconds()))
    return TooManyAttempts(retry_after_seconds=wait_seconds)

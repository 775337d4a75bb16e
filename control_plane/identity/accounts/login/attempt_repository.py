"""Every query on attempt counters. All need a system session."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import NamedTuple

from sqlalchemy import case, func, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.identity.accounts.models import AttemptCount
from control_plane.platform.batched_deletion_repository import delete_some


class Counted(NamedTuple):
    attempts: int
    """In the current window, including this one."""
    window_ends_at: datetime


async def count(
    session: AsyncSession, key_hash: bytes, now: datetime, *, window_seconds: int
) -> Counted:
    """Count one attempt. The first attempt, and the first after a window has ended, starts a new
    window."""
    has_ended = AttemptCount.window_ends_at <= now
    ends_at = now + timedelta(seconds=window_seconds)
    counted = await session.execute(
        insert(AttemptCount)
        .values(key_hash=key_hash, attempts=1, window_ends_at=ends_at)
        .on_conflict_do_update(
            index_elements=["key_hash"],
            set_={
                "attempts": case((has_ended, 1), else_=AttemptCount.attempts + 1),
                "window_ends_at": case((has_ended, ends_at), else_=AttemptCount.window_ends_at),
            },
        )
        .returning(AttemptCount.attempts, AttemptCount.window_ends_at)
    )
    return Counted(*counted.one())


async def counted(session: AsyncSession, key_hash: bytes, now: datetime) -> Counted | None:
    """The attempts in the current window, without another one."""
    found = await session.execute(
        select(AttemptCount.attempts, AttemptCount.window_ends_at).where(
            AttemptCount.key_hash == key_hash, AttemptCount.window_ends_at > now
        )
    )
    row = found.one_or_none()
    return None if row is None else Counted(*row)


async def take_off(session: AsyncSession, key_hash: bytes) -> None:
    """Subtract one attempt."""
    await session.execute(
        update(AttemptCount)
        .where(AttemptCount.key_hash == key_hash)
        .values(attempts=func.greatest(AttemptCount.attempts - 1, 0))
    )


async def delete_ended(session: AsyncSession, now: datetime, *, most: int) -> int:
    """Delete windows that ended before ``now``, and return how many, which are ``most`` at most."""
    has_ended = AttemptCount.window_ends_at <= now
    return await delete_some(session, AttemptCount.key_hash, has_ended, most=most)

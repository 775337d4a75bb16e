"""Jobs of accounts."""

from __future__ import annotations

from datetime import UTC, datetime

from procrastinate import JobContext
from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.identity.accounts.login import attempt_repository
from control_plane.identity.accounts.passwords import reset_repository
from control_plane.identity.accounts.sessions import repository as session_repository
from control_plane.platform.batched_deletion import delete_in_batches
from control_plane.platform.job_queue import database_of, job_queue


@job_queue.periodic(cron="*/5 * * * *")
@job_queue.task(name="accounts.forget_what_expired", pass_context=True, queueing_lock="forget")
async def forget_what_expired(context: JobContext, timestamp: int) -> None:
    """Delete expired rows, which nothing reads and which would fill their tables."""
    await delete_in_batches(database_of(context), delete_expired, datetime.now(UTC))


async def delete_expired(session: AsyncSession, now: datetime, *, most: int) -> int:
    """Delete sessions, password resets and attempt windows that ended before ``now``. Strangers
    make attempts, so of these only ``most`` go at once; returns how many."""
    await session_repository.delete_expired(session, now)
    await reset_repository.delete_expired(session, now)
    return await attempt_repository.delete_ended(session, now, most=most)

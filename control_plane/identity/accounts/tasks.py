"""Jobs of accounts."""

from __future__ import annotations

from datetime import UTC, datetime

from procrastinate import JobContext
from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.identity.accounts.login import attempt_repository
from control_plane.identity.accounts.passwords import reset_repository
from control_plane.identity.accounts.sessions import repository as session_repository
from control_plane.platform.job_queue import database_of, job_queue

_DELETED_TOGETHER = 2_000


@job_queue.periodic(cron="*/5 * * * *")
@job_queue.task(name="accounts.forget_what_expired", pass_context=True, queueing_lock="forget")
async def forget_what_expired(context: JobContext, timestamp: int) -> None:
    """Delete expired rows, which nothing reads and which would fill their tables."""
    now, deleted = datetime.now(UTC), _DELETED_TOGETHER
    while deleted == _DELETED_TOGETHER:
        async with database_of(context).system_session() as session:
            deleted = await delete_expired(session, now)


async def delete_expired(session: AsyncSession, now: datetime) -> int:
    """Delete sessions, password resets and attempt windows that ended before ``now``. Strangers
    make attempts, so of these only ``_DELETED_TOGETHER`` go at once; returns how many."""
    await session_repository.delete_expired(session, now)
    await reset_repository.delete_expired(session, now)
    return await attempt_repository.delete_ended(session, now, most=_DELETED_TOGETHER)

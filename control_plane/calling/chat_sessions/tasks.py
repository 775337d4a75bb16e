"""Jobs of chats."""

from __future__ import annotations

from datetime import UTC, datetime

from procrastinate import JobContext

from control_plane.calling.chat_sessions.repository import delete_expired
from control_plane.platform.job_queue import database_of, job_queue

_DELETED_TOGETHER = 2_000


@job_queue.periodic(cron="*/15 * * * *")
@job_queue.task(
    name="chat_sessions.delete_expired", pass_context=True, queueing_lock="delete_expired_chats"
)
async def delete_expired_chats(context: JobContext, timestamp: int) -> None:
    """Delete the chats that have expired."""
    now, deleted = datetime.now(UTC), _DELETED_TOGETHER
    while deleted == _DELETED_TOGETHER:
        async with database_of(context).system_session() as session:
            deleted = await delete_expired(session, now, most=_DELETED_TOGETHER)

"""Jobs of chats."""

from __future__ import annotations

from datetime import UTC, datetime

from procrastinate import JobContext

from control_plane.calling.chat_sessions.repository import delete_expired
from control_plane.platform.job_queue import database_of, job_queue


@job_queue.periodic(cron="*/15 * * * *")
@job_queue.task(
    name="chat_sessions.delete_expired", pass_context=True, queueing_lock="delete_expired_chats"
)
async def delete_expired_chats(context: JobContext, timestamp: int) -> None:
    """Delete the chats that have expired."""
    async with database_of(context).system_session() as session:
        await delete_expired(session, datetime.now(UTC))

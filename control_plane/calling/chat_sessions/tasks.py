"""Jobs of chats."""

from __future__ import annotations

from datetime import UTC, datetime

from procrastinate import JobContext

from control_plane.calling.chat_sessions.repository import delete_expired
from control_plane.platform.batched_deletion import delete_in_batches
from control_plane.platform.job_queue import database_of, job_queue


@job_queue.periodic(cron="*/15 * * * *")
@job_queue.task(
    name="chat_sessions.delete_expired", pass_context=True, queueing_lock="delete_expired_chats"
)
async def delete_expired_chats(context: JobContext, timestamp: int) -> None:
    """Delete the chats that have expired."""
    await delete_in_batches(database_of(context), delete_expired, datetime.now(UTC))

"""The job of data retention."""

from __future__ import annotations

from datetime import UTC, datetime

from procrastinate import JobContext

from control_plane.calling.retention.expiry import delete_expired
from control_plane.platform.job_queue import database_of, job_queue, settings_of


@job_queue.periodic(cron="17 * * * *")
@job_queue.task(
    name="retention.delete_expired",
    pass_context=True,
    queueing_lock="delete_expired_data",
    lock="delete_expired_data",
)
async def delete_expired_data(context: JobContext, timestamp: int) -> None:
    """Delete what is older than its tenant wants to keep it."""
    url = settings_of(context).object_store_url
    await delete_expired(database_of(context), url, datetime.now(UTC))

"""Jobs of idempotency."""

from __future__ import annotations

from datetime import UTC, datetime

from procrastinate import JobContext

from control_plane.platform.batched_deletion import delete_in_batches
from control_plane.platform.idempotency.answer import KEY_LIFETIME
from control_plane.platform.idempotency.repository import forget
from control_plane.platform.job_queue import database_of, job_queue


@job_queue.periodic(cron="*/15 * * * *")
@job_queue.task(
    name="idempotency.forget_old_answers", pass_context=True, queueing_lock="forget_old_answers"
)
async def forget_old_answers(context: JobContext, timestamp: int) -> None:
    """Delete answers whose keys have expired."""
    await delete_in_batches(database_of(context), forget, datetime.now(UTC) - KEY_LIFETIME)

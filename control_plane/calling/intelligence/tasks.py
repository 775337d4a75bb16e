"""Jobs that analyse calls that have ended."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import UUID

from procrastinate import JobContext, RetryStrategy

from control_plane.calling.intelligence.analysis import analyse, give_up_abandoned
from control_plane.platform.job_queue import PATIENT_QUEUE, database_of, job_queue, settings_of
from telemetry.tracing import call_span

MAX_RETRIES = 5
"""After 4, 16, 64, 256 and 1024 seconds: 23 minutes in total."""
ABANDONED_AFTER = timedelta(minutes=30)
"""Longer than the longest wait between two tries."""


@job_queue.task(
    name="intelligence.analyse_call",
    queue=PATIENT_QUEUE,
    pass_context=True,
    retry=RetryStrategy(max_attempts=MAX_RETRIES, exponential_wait=4),
)
async def analyse_call(context: JobContext, *, tenant_id: str, call_id: str, job_id: str) -> None:
    """Run the analysis ``job_id``. When run again it continues where it stopped."""
    assert context.job is not None
    with call_span("analyse call", UUID(call_id), {"attempt": context.job.attempts}):
        await analyse(
            database_of(context),
            settings_of(context),
            UUID(tenant_id),
            UUID(call_id),
            UUID(job_id),
            is_last_try=context.job.attempts >= MAX_RETRIES,
        )


@job_queue.periodic(cron="*/5 * * * *")
@job_queue.task(
    name="intelligence.give_up_abandoned", pass_context=True, queueing_lock="give_up_abandoned"
)
async def give_up_abandoned_analyses(context: JobContext, timestamp: int) -> None:
    """Finish, without a result, the analyses whose job failed with an unexpected error."""
    await give_up_abandoned(
        database_of(context),
        analyse_call.name,
        datetime.now(UTC) - ABANDONED_AFTER,
    )

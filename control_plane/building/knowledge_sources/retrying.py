"""How often jobs of knowledge sources are tried."""

from __future__ import annotations

from procrastinate import JobContext, RetryStrategy
from procrastinate.jobs import Job
from procrastinate.retry import RetryDecision

from control_plane.platform.errors import DatabaseUnavailable

MOST_RETRIES = 5
DELETION_RETRY = RetryStrategy(max_attempts=8, exponential_wait=4)
"""For a day: nobody else deletes these objects."""
_LATER_SECONDS = 60


class IngestionRetry(RetryStrategy):
    """An attempt that was stopped, or that has lost PostgreSQL, is never the last one: it could not
    mark the source as failed."""

    def get_retry_decision(self, *, exception: BaseException, job: Job) -> RetryDecision | None:
        decision = super().get_retry_decision(exception=exception, job=job)
        is_marked = isinstance(exception, Exception) and not isinstance(
            exception, DatabaseUnavailable
        )
        if decision is None and not is_marked:
            return RetryDecision(retry_in={"seconds": _LATER_SECONDS})
        return decision


INGESTION_RETRY = IngestionRetry(max_attempts=MOST_RETRIES, exponential_wait=2)


def is_last_attempt(context: JobContext) -> bool:
    """Whether nobody tries again if this attempt fails. ``attempts`` are those before it."""
    return context.job.attempts >= MOST_RETRIES

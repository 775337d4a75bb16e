"""What the gauges of the installation are read from. Each query is bounded or uses an index,
because they run every few seconds beside everything else."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.platform.outbox import log_repository

COUNTED_UP_TO = 10_000

RUNNING_CALLS = text("SELECT status, count(*) FROM calls WHERE ended_at IS NULL GROUP BY status")
PARKED_EVENTS = text(
    "SELECT count(*) FROM ("
    f"SELECT FROM parked_events WHERE resolved_at IS NULL LIMIT {COUNTED_UP_TO}) AS parked"
)
WAITING_JOBS = text(
    "SELECT queue_name, status::text, count(*) FROM ("
    + " UNION ALL ".join(
        "(SELECT queue_name, status FROM procrastinate_jobs "
        f"WHERE status = '{status}' LIMIT {COUNTED_UP_TO})"
        for status in ("todo", "doing", "failed")
    )
    + ") AS jobs GROUP BY queue_name, status"
)
# A job without a time is due from the moment in which it was added.
OLDEST_JOB = text(
    """
    SELECT extract(epoch FROM now() - min(coalesce(job.scheduled_at, added.at)))
    FROM (
        SELECT id, scheduled_at FROM procrastinate_jobs
        WHERE status = 'todo' AND (scheduled_at IS NULL OR scheduled_at <= now())
        ORDER BY id LIMIT 1000
    ) AS job LEFT JOIN LATERAL (
        SELECT min(at) AS at FROM procrastinate_events WHERE job_id = job.id
    ) AS added ON true
    """
)


@dataclass(frozen=True)
class DatabaseMeasurements:
    running_calls: dict[str, int]
    """By status."""
    parked_events: int
    outbox_age_seconds: float
    jobs: dict[tuple[str, str], int]
    """By queue and status."""
    job_age_seconds: float


async def measure(session: AsyncSession) -> DatabaseMeasurements:
    """Needs a system session."""
    calls = await session.execute(RUNNING_CALLS)
    jobs = await session.execute(WAITING_JOBS)
    return DatabaseMeasurements(
        running_calls={str(status): int(count) for status, count in calls},
        parked_events=await session.scalar(PARKED_EVENTS) or 0,
        outbox_age_seconds=await _outbox_age_seconds(session),
        jobs={(queue, status): count for queue, status, count in jobs},
        job_age_seconds=max(0.0, float(await session.scalar(OLDEST_JOB) or 0)),
    )


async def _outbox_age_seconds(session: AsyncSession) -> float:
    oldest = await log_repository.oldest_unread(session)
    return max(0.0, (datetime.now(UTC) - oldest).total_seconds()) if oldest else 0.0

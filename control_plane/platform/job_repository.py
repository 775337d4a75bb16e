"""Queries on the queue's jobs, whose table is Procrastinate's."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession


async def delete_ended(session: AsyncSession, before: datetime, *, most: int) -> int:
    """Delete jobs that failed or were aborted, and of which nothing was noted since ``before``.
    Returns how many, which are ``most`` at most."""
    ids = await session.scalars(
        text(
            "DELETE FROM procrastinate_jobs WHERE id IN ("
            "SELECT id FROM procrastinate_jobs AS job WHERE status NOT IN ('todo', 'doing')"
            " AND NOT EXISTS (SELECT FROM procrastinate_events"
            " WHERE job_id = job.id AND at > :before) LIMIT :most) RETURNING id"
        ),
        {"before": before, "most": most},
    )
    return len(ids.all())

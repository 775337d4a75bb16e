"""The queries on partitions. For jobs: they concern every tenant."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

BY_MONTH_OF_CALL = ("transcript_segments", "turn_latencies", "call_log_entries")


async def make_partitions(session: AsyncSession, ahead: int) -> Sequence[str]:
    """Create the partitions of this month and of ``ahead`` more that do not exist yet; returns
    their names."""
    made = await session.scalars(
        text("SELECT switchboard_make_partitions(:ahead)"), {"ahead": ahead}
    )
    return made.all()


async def missing_partitions(session: AsyncSession) -> Sequence[str]:
    """Which partitions of this month and the next do not exist. Their rows go into the default
    partition of their table."""
    missing = await session.scalars(
        text(
            """
            SELECT format('%s_%s', parent.name, to_char(month, 'YYYY_MM')) AS partition
            FROM unnest(CAST(:tables AS text[])) AS parent (name),
                generate_series(
                    date_trunc('month', now() AT TIME ZONE 'UTC'),
                    now() AT TIME ZONE 'UTC' + interval '1 month',
                    interval '1 month'
                ) AS month
            WHERE to_regclass(format('%s_%s', parent.name, to_char(month, 'YYYY_MM'))) IS NULL
            ORDER BY 1
            """
        ),
        {"tables": list(BY_MONTH_OF_CALL)},
    )
    return missing.all()

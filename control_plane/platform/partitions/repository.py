"""The queries on partitions. For jobs: they concern every tenant."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

BY_MONTH = ("transcript_segments", "turn_latencies", "call_log_entries", "ledger_entries")


async def make_partitions(session: AsyncSession, ahead: int) -> Sequence[str]:
    """Create the partitions of this month and of ``ahead`` more that do not exist yet; returns
    their names."""
    made = await session.scalars(
        text("SELECT switchboard_make_partitions(:ahead)"), {"ahead": ahead}
    )
    return made.all()


async def missing_partitions(session: AsyncSession) -> Sequence[str]:
    """Which partitions of this month and the next do not exist. Their rows go into the default
    partition of their table.

    Entries of the ledger stay in the old table until some days after it was partitioned: the months
    before need no partition.
    """
    missing = await session.scalars(
        text(
            r"""
            SELECT format('%s_%s', parent.name, to_char(month, 'YYYY_MM')) AS partition
            FROM unnest(CAST(:tables AS text[])) AS parent (name)
                CROSS JOIN generate_series(
                    date_trunc('month', now() AT TIME ZONE 'UTC'),
                    now() AT TIME ZONE 'UTC' + interval '1 month',
                    interval '1 month'
                ) AS month
                LEFT JOIN pg_class AS before ON before.oid = to_regclass(parent.name || '_before')
            WHERE to_regclass(format('%s_%s', parent.name, to_char(month, 'YYYY_MM'))) IS NULL
                AND NOT coalesce(
                    month AT TIME ZONE 'UTC' < CAST(
                        substring(
                            pg_get_expr(before.relpartbound, before.oid) FROM 'TO \(''(.+)''\)$'
                        ) AS timestamptz
                    ),
                    false
                )
            ORDER BY 1
            """
        ),
        {"tables": list(BY_MONTH)},
    )
    return missing.all()

"""The job that creates partitions before they are needed, and drops those of the outbox."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import structlog
from procrastinate import JobContext

from control_plane.platform.database import Database
from control_plane.platform.job_queue import database_of, job_queue
from control_plane.platform.outbox import log_repository
from control_plane.platform.partitions import repository

MONTHS_AHEAD = 3
OUTBOX_DAYS_AHEAD = 7
OUTBOX_IS_KEPT = timedelta(days=32)
"""Deliveries of facts can be repeated for 30 days."""
_log = structlog.get_logger(__name__)


@job_queue.periodic(cron="41 */6 * * *")
@job_queue.task(name="partitions.make", pass_context=True, queueing_lock="make_partitions")
async def make_partitions(context: JobContext, timestamp: int) -> None:
    """Create the partitions of the coming months. One that is missing is logged as an error; its
    rows are kept in the default partition. Drop the outbox's oldest days, if they were read."""
    database = database_of(context)
    try:
        await _make(database)
    finally:
        # Also when a table was in use: it may be each time, until a month begins.
        await _tell_missing(database)
    await _drop_outbox_days(database)


async def _make(database: Database) -> None:
    async with database.system_session() as session:
        made = [
            *await repository.make_partitions(session, MONTHS_AHEAD),
            *await log_repository.make_days(session, OUTBOX_DAYS_AHEAD),
        ]
    if made:
        _log.info("partitions_made", partitions=made)


async def _tell_missing(database: Database) -> None:
    async with database.system_session() as session:
        missing = await repository.missing_partitions(session)
    if missing:
        _log.error("partitions_missing", partitions=list(missing))


async def _drop_outbox_days(database: Database) -> None:
    async with database.system_session() as session:
        kept_from = datetime.now(UTC) - OUTBOX_IS_KEPT
        oldest_unread = await log_repository.oldest_unread(session)
        if oldest_unread is not None:
            kept_from = min(kept_from, oldest_unread)
        dropped = await log_repository.drop_days(session, kept_from)
    if dropped:
        _log.info("partitions_dropped", partitions=list(dropped))

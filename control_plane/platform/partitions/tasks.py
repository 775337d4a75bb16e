"""The job that creates partitions before they are needed."""

from __future__ import annotations

import structlog
from procrastinate import JobContext

from control_plane.platform.job_queue import database_of, job_queue
from control_plane.platform.partitions import repository

MONTHS_AHEAD = 3
_log = structlog.get_logger(__name__)


@job_queue.periodic(cron="41 */6 * * *")
@job_queue.task(name="partitions.make", pass_context=True, queueing_lock="make_partitions")
async def make_partitions(context: JobContext, timestamp: int) -> None:
    """Create the partitions of the coming months. One that is missing is logged as an error; its
    rows are kept in the default partition."""
    database = database_of(context)
    async with database.system_session() as session:
        made = await repository.make_partitions(session, MONTHS_AHEAD)
    async with database.system_session() as session:
        missing = await repository.missing_partitions(session)
    if made:
        _log.info("partitions_made", partitions=list(made))
    if missing:
        _log.error("partitions_missing", partitions=list(missing))

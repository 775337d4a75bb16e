"""Takes the bridges' reports from the stream to PostgreSQL.

A report that is applied twice changes nothing the second time, so an entry leaves the stream after
the transaction that applied it. If a report is lost, or its call cannot be read, the scheduler
finds it under the attempt's key, which the bridge keeps renewing.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence

import structlog
from redis.asyncio import Redis

from contracts.dialing import DialReport
from control_plane.calling.calls.events.group_transaction import EVENT_FAULTS
from control_plane.calling.dialing.after_commit import follow_up
from control_plane.calling.dialing.attempts import apply_report
from control_plane.platform.database import Database
from control_plane.platform.errors import DatabaseUnavailable
from control_plane.platform.link.dialing import read_report
from control_plane.platform.link.event_stream import report_group
from link.persistent_loop import run_persistently
from link.stream_entry import StreamEntry

CONSUMER_NAME = "jobs"
"""One name for all jobs processes, so that each takes over what a dead one left."""

RECLAIM_IDLE_MS = 2_000
SWEEP_INTERVAL_SECONDS = 2.0
RETRY_SECONDS = 0.5
_log = structlog.get_logger(__name__)


class ReportConsumer:
    """Run one per jobs process.

    Args:
        redis: a client that allows for ``event_stream.BLOCK_SECONDS``.
    """

    def __init__(self, database: Database, redis: Redis) -> None:
        self._database = database
        self._redis = redis
        self.stream = report_group(redis, CONSUMER_NAME)
        self._swept_at = float("-inf")

    async def run(self) -> None:
        """Consume until cancelled."""
        await run_persistently(
            "dial_reports",
            self._consume_next,
            first_pause_seconds=RETRY_SECONDS,
            longest_pause_seconds=RETRY_SECONDS,
        )

    async def _consume_next(self) -> None:
        try:
            if time.monotonic() - self._swept_at >= SWEEP_INTERVAL_SECONDS:
                await self.consume(await self.stream.reclaim(RECLAIM_IDLE_MS))
                self._swept_at = time.monotonic()
            await self.consume(await self.stream.read_new())
        except DatabaseUnavailable:
            _log.warning("dial_reports_wait_for_database")
            await asyncio.sleep(RETRY_SECONDS)

    async def consume(self, entries: Sequence[StreamEntry]) -> None:
        """Apply the reports in their order, and finish the entries.

        Raises:
            RedisError, OSError, DatabaseUnavailable: what is not finished comes again.
        """
        for entry in entries:
            report = read_report(entry.document)
            if report is not None:
                await self._apply(report)
            await self.stream.finish([entry])

    async def _apply(self, report: DialReport) -> None:
        try:
            async with self._database.system_session() as session:
                after = await apply_report(session, report)
        except EVENT_FAULTS:
            _log.exception("dial_report_not_applicable", call_id=str(report.call_id))
        else:
            await follow_up(self._database, self._redis, after)

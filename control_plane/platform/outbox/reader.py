"""Reads the outbox, and hands each fact to every consumer exactly once.

Any number of processes may read: whoever holds the cursor's row reads, the others look again later.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from uuid import UUID

import structlog
from sqlalchemy.exc import DBAPIError

from control_plane.platform.data_faults import DATA_FAULTS
from control_plane.platform.database import Database
from control_plane.platform.errors import DatabaseUnavailable
from control_plane.platform.outbox import log_repository
from control_plane.platform.outbox.facts import Fact, FactConsumer

FACTS_AT_ONCE = 200
"""At most, in one transaction, which has a deadline. A fact that is mailed to many members takes a
tenth of a second or more; so after a transaction that took too long, fewer share one."""
MORE_EACH_TIME = 10
MOST_TRIES = 5
"""A fact that the consumers refuse so often by itself is skipped: it must not hold up the facts of
every tenant for ever."""
BUSY_PAUSE_SECONDS = 0.05
IDLE_PAUSE_SECONDS = 0.4
QUICK_LOOKS = 25
"""Behind the cursor where it was last seen, before the cursor is looked at again: in a database
that was restored meanwhile it is somewhere else."""
RETRY_SECONDS = 1.0
REFUSALS = (DBAPIError, *DATA_FAULTS)
"""What a consumer raises for a fact that it cannot act on."""
_log = structlog.get_logger(__name__)


def pause_seconds(read: int, last_pause: float) -> float:
    """How long to wait after ``read`` facts were read: not at all behind a full batch, and longer
    each time while nothing happens."""
    if read >= FACTS_AT_ONCE:
        return 0.0
    if read > 0:
        return BUSY_PAUSE_SECONDS
    return min(max(last_pause, BUSY_PAUSE_SECONDS) * 1.5, IDLE_PAUSE_SECONDS)


class OutboxReader:
    def __init__(self, database: Database, consumers: Sequence[FactConsumer]) -> None:
        self._database = database
        self._consumers = consumers
        self._at_once = FACTS_AT_ONCE
        self._one_by_one = 0
        """How many facts of a refused batch are still to be read by themselves."""
        self._first: UUID | None = None
        """The first fact of the last read. Another process may have skipped it since."""
        self._tries = 0
        """How often the consumers refused that fact by itself."""
        self._read_to: log_repository.Cursor | None = None
        """Where the cursor was when there was nothing behind it."""
        self._quick_looks = 0

    async def run(self) -> None:
        """Read until cancelled, also across outages of PostgreSQL."""
        pause = 0.0
        while True:
            try:
                pause = pause_seconds(await self.read(), pause)
            except DatabaseUnavailable:
                _log.warning("outbox_waits_for_database")
                pause = RETRY_SECONDS
            except REFUSALS:
                _log.exception("facts_refused", tries=self._tries)
                pause = RETRY_SECONDS
            await asyncio.sleep(pause)

    async def read(self) -> int:
        """Hand over the next facts; returns how many.

        Raises:
            DatabaseUnavailable: try again later.
            REFUSALS: a consumer could not act on the facts, and nothing was written. The next ones
                are read one by one.
        """
        try:
            read = await self._read(1 if self._one_by_one else self._at_once)
        except DatabaseUnavailable:
            self._at_once = max(1, self._at_once // 2)
            raise
        except REFUSALS:
            if self._one_by_one:
                self._tries += 1
            else:
                self._one_by_one = FACTS_AT_ONCE
            raise
        # Not after a look at what another process is reading: that says nothing of its size.
        if read > 0:
            self._at_once = min(self._at_once + MORE_EACH_TIME, FACTS_AT_ONCE)
        self._one_by_one = max(0, self._one_by_one - read)
        return read

    async def _read(self, limit: int) -> int:
        """In one transaction with the cursor. While nothing happens, a look is one statement."""
        if self._read_to is not None and self._quick_looks < QUICK_LOOKS:
            self._quick_looks += 1
            async with self._database.system_statements() as session:
                if not await log_repository.is_behind(session, self._read_to):
                    return 0
        async with self._database.system_session() as session:
            cursor = await log_repository.lock_cursor(session)
            if cursor is None:
                return 0
            facts = await log_repository.unread(session, cursor, limit)
            self._read_to, self._quick_looks = None if facts else cursor, 0
            if not facts:
                return 0
            if facts[0].id != self._first:
                self._first, self._tries = facts[0].id, 0
            if self._tries >= MOST_TRIES:
                _skipped(facts[0])
            else:
                for consumer in self._consumers:
                    await consumer.consume(session, facts)
            await log_repository.move_cursor(session, cursor.after(facts[-1]))
        return len(facts)


def _skipped(fact: Fact) -> None:
    _log.error(
        "fact_skipped", fact_id=str(fact.id), tenant_id=str(fact.tenant_id), fact_event=fact.event
    )

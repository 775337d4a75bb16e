"""Sends the events of journals to the event stream until the control plane has applied them all.

The journal on disk is the truth; Redis holds a copy that may be lost. Each pass sends the events
that are on disk and not sent yet, and once a second reads which events the control plane has
applied. A Redis server that was restarted (its ``run_id`` has changed) may have lost the newest
events, so everything not applied is sent again. The same is done when the control plane announces
no shards any more, because those that it has may not be read. The control plane skips events that
it has.

While too many events wait in a stream, its calls' events stay on disk. Only an event that the
control plane waits for is still sent: what waits may be waiting for that very event.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Set
from uuid import UUID

import structlog
from redis.asyncio import Redis

from contracts import redis_names
from link.connection import LINK_ERRORS
from link.persistent_loop import run_persistently
from runtime.journal.destinations import Destinations
from runtime.journal.journal import Journal
from runtime.journal.shipping_cursor import ShippingCursor

logger = structlog.get_logger(__name__)

BATCH = 200
LOOK_SECONDS = 1.0
"""How often the shipper reads what has been applied."""
MOST_WAITING = 240_000
"""How many events may wait in Redis, see ``WorkerOptions.event_backlog_limit``."""


class EventShipper:
    def __init__(self, redis: Redis, most_waiting: int = MOST_WAITING) -> None:
        self._redis = redis
        self._destinations = Destinations(redis, most_waiting)
        self._journals: dict[UUID, Journal] = {}
        self._cursors: dict[UUID, ShippingCursor] = {}
        """One for each journal whose applied events the shipper has read."""
        self._wake = asyncio.Event()
        self._sent = asyncio.Event()
        self._link_run_id: str | None = None
        self._looked_at: float | None = None

    def add(self, journal: Journal) -> None:
        """Ship ``journal`` now and as it grows. Delete it when all its events are applied."""
        self._journals[journal.plan.call_id] = journal
        journal.on_durable = self._wake.set
        self._wake.set()

    async def drop(self, journal: Journal) -> None:
        """Forget and delete a journal that holds no event: there was no such call here."""
        assert journal.last_seq == 0
        del self._journals[journal.plan.call_id]
        self._cursors.pop(journal.plan.call_id, None)
        await journal.delete()

    @property
    def unsettled(self) -> Set[UUID]:
        """Calls whose events are not all applied yet."""
        return self._journals.keys()

    @property
    def begun(self) -> frozenset[UUID]:
        """Those of the unsettled calls that have events. The room of the others is not open yet."""
        return frozenset(
            call_id for call_id, journal in self._journals.items() if journal.last_seq > 0
        )

    @property
    def is_backed_up(self) -> bool:
        """Whether events are held back because too many wait in Redis."""
        return self._destinations.are_backed_up

    async def wait_all_sent(self) -> None:
        """Return once every event written so far was sent."""
        while any(self._is_behind(each) for each in self._journals.values()):
            self._sent.clear()
            await self._sent.wait()

    def _is_behind(self, journal: Journal) -> bool:
        cursor = self._cursors.get(journal.plan.call_id)
        return cursor is None or cursor.next_seq <= journal.last_seq

    async def run(self) -> None:
        """Ship until cancelled. Losing the connection to Redis only delays it."""
        await run_persistently("event_shipper", self._pass)

    async def _pass(self) -> None:
        try:
            if self._has_to_look():
                await self._look()
            for call_id, cursor in list(self._cursors.items()):
                if (journal := self._journals.get(call_id)) is not None:
                    await self._send(journal, cursor)
        except LINK_ERRORS:
            self._looked_at = None
            raise
        try:
            async with asyncio.timeout(LOOK_SECONDS if self._has_to_watch() else None):
                await self._wake.wait()
        except TimeoutError:
            return
        self._wake.clear()

    def _has_to_watch(self) -> bool:
        """Without a journal there is nothing to send, and nobody to whom a full stream matters."""
        return bool(self._journals) or self.is_backed_up

    def _has_to_look(self) -> bool:
        if self._looked_at is None or self._journals.keys() != self._cursors.keys():
            return True
        return self._has_to_watch() and time.monotonic() - self._looked_at >= LOOK_SECONDS

    async def _look(self) -> None:
        """Read whether Redis was restarted and what is applied. Delete journals that are done."""
        run_id = (await self._redis.info("server"))["run_id"]
        call_ids = list(self._journals)
        is_withdrawn = await self._destinations.look(call_ids)
        sends_again = run_id != self._link_run_id or is_withdrawn
        applied = (
            await self._redis.hmget(redis_names.APPLIED, [str(each) for each in call_ids])
            if call_ids
            else []
        )
        now = time.monotonic()
        for call_id, seq in zip(call_ids, applied, strict=True):
            if call_id not in self._journals:
                continue  # It was dropped meanwhile.
            cursor = self._cursors.setdefault(call_id, ShippingCursor(now))
            if sends_again:
                cursor.link_restarted(int(seq or 0), now)
            else:
                cursor.applied(int(seq or 0), now)
            await self._forget_if_settled(call_id, cursor)
        self._link_run_id = run_id
        self._looked_at = now

    async def _forget_if_settled(self, call_id: UUID, cursor: ShippingCursor) -> None:
        journal = self._journals[call_id]
        if not journal.has_ended or cursor.applied_seq < journal.last_seq:
            return
        del self._journals[call_id], self._cursors[call_id]
        await journal.delete()
        logger.info("journal.settled", call_id=str(call_id), events=journal.last_seq)

    async def _send(self, journal: Journal, cursor: ShippingCursor) -> None:
        call_id = journal.plan.call_id
        stream = self._destinations.stream_of(call_id)
        while batch := self._may_send(call_id, cursor):
            documents = await journal.read(cursor.next_seq, batch)
            if not documents:
                return
            pipeline = self._redis.pipeline(transaction=False)
            for document in documents:
                pipeline.xadd(stream, {redis_names.FIELD: document})
            await pipeline.execute()
            cursor.sent(cursor.next_seq + len(documents) - 1, time.monotonic())
            self._sent.set()

    def _may_send(self, call_id: UUID, cursor: ShippingCursor) -> int:
        """How many events of a call may be sent now."""
        if self._destinations.has_room(call_id):
            return BATCH
        return 1 if cursor.next_seq == cursor.applied_seq + 1 else 0

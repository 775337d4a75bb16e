"""Journals → event stream, in order, until the control plane has applied every event.

The journal on disk is the truth; what is in Redis is a copy that may be lost. Each pass sends what
is durable and not yet sent, and once a second asks how far the control plane has come. A link that
was restarted (another ``run_id``) may have lost its tail, so everything not applied goes again; the
control plane skips what it has.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable
from uuid import UUID

import structlog
from redis.asyncio import Redis

from contracts import redis_names
from runtime.journal import Journal
from runtime.redis_link import LINK_ERRORS, persist
from runtime.shipping_cursor import ShippingCursor

logger = structlog.get_logger(__name__)

BATCH = 200
LOOK_SECONDS = 1.0
"""How often the shipper asks what has been applied."""


class EventShipper:
    def __init__(self, redis: Redis) -> None:
        self._redis = redis
        self._journals: dict[UUID, tuple[Journal, ShippingCursor]] = {}
        self._wake = asyncio.Event()
        self._sent = asyncio.Event()
        self._link_run_id: str | None = None
        self._looked_at: float | None = None

    def add(self, journal: Journal) -> None:
        """Ship ``journal``, now and as it grows, and delete it when all of it is applied."""
        self._journals[journal.plan.call_id] = (journal, ShippingCursor(time.monotonic()))
        journal.on_durable = self._wake.set
        self._wake.set()

    @property
    def unsettled(self) -> Iterable[UUID]:
        """Calls whose events are not all applied yet."""
        return self._journals.keys()

    async def wait_all_sent(self) -> None:
        """Return once every event written so far was sent."""
        while any(cursor.next_seq <= each.last_seq for each, cursor in self._journals.values()):
            self._sent.clear()
            await self._sent.wait()

    async def run(self) -> None:
        """Ship until cancelled, through every loss of the link."""
        await persist("event_shipper", self._pass)

    async def _pass(self) -> None:
        try:
            if self._looked_at is None or time.monotonic() - self._looked_at >= LOOK_SECONDS:
                await self._look()
            for journal, cursor in list(self._journals.values()):
                await self._send(journal, cursor)
        except LINK_ERRORS:
            self._looked_at = None
            raise
        try:
            async with asyncio.timeout(LOOK_SECONDS):
                await self._wake.wait()
        except TimeoutError:
            return
        self._wake.clear()

    async def _look(self) -> None:
        """Learn whether the link was restarted and what has been applied; delete what is done."""
        run_id = (await self._redis.info("server"))["run_id"]
        restarted = run_id != self._link_run_id
        call_ids = list(self._journals)
        applied = (
            await self._redis.hmget(redis_names.APPLIED, [str(each) for each in call_ids])
            if call_ids
            else []
        )
        now = time.monotonic()
        for call_id, seq in zip(call_ids, applied, strict=True):
            journal, cursor = self._journals[call_id]
            if restarted:
                cursor.link_restarted(int(seq or 0), now)
            else:
                cursor.applied(int(seq or 0), now)
            if journal.has_ended and cursor.applied_seq >= journal.last_seq:
                del self._journals[call_id]
                await journal.delete()
                logger.info("journal.settled", call_id=str(call_id), events=journal.last_seq)
        self._link_run_id = run_id
        self._looked_at = now

    async def _send(self, journal: Journal, cursor: ShippingCursor) -> None:
        while documents := await journal.read(cursor.next_seq, BATCH):
            pipeline = self._redis.pipeline(transaction=False)
            for document in documents:
                pipeline.xadd(redis_names.EVENT_STREAM, {redis_names.FIELD: document})
            await pipeline.execute()
            cursor.sent(cursor.next_seq + len(documents) - 1, time.monotonic())
            self._sent.set()

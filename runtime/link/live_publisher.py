"""Live messages → each call's live stream in Redis, from which the API serves viewers.

Nothing waits for these messages. While Redis is away the oldest are dropped, so that memory stays
bounded. What must not be lost is in the journal.
"""

from __future__ import annotations

import asyncio
from collections import deque
from uuid import UUID

from redis.asyncio import Redis

from contracts import redis_names
from contracts.live_messages import LiveMessage
from link.connection import LINK_ERRORS
from link.persistent_loop import run_persistently

STREAM_LENGTH = 1_000
"""Roughly how many messages of one call Redis keeps."""
MOST_WAITING = 5_000
"""Messages of all calls that wait for Redis."""
BATCH = 200


class LivePublisher:
    def __init__(self, redis: Redis) -> None:
        self._redis = redis
        self._waiting: deque[tuple[UUID, str]] = deque()
        self._wake = asyncio.Event()
        self._all_sent = asyncio.Event()
        self._all_sent.set()

    def publish(self, call_id: UUID, message: LiveMessage) -> None:
        """Append ``message`` to the call's stream, soon. Returns at once and never fails."""
        self._waiting.append((call_id, message.model_dump_json()))
        self._drop_oldest()
        self._all_sent.clear()
        self._wake.set()

    async def wait_all_sent(self) -> None:
        """Return once nothing waits any more."""
        await self._all_sent.wait()

    async def run(self) -> None:
        """Send until cancelled, through every outage of Redis. A message that was being sent
        when Redis went away is sent again, so viewers may see it twice."""
        await run_persistently("live_publisher", self._pass)

    async def _pass(self) -> None:
        while self._waiting:
            batch = [self._waiting.popleft() for _ in range(min(BATCH, len(self._waiting)))]
            try:
                await self._send(batch)
            except LINK_ERRORS:
                self._waiting.extendleft(reversed(batch))
                self._drop_oldest()
                raise
        self._all_sent.set()
        self._wake.clear()
        await self._wake.wait()

    async def _send(self, batch: list[tuple[UUID, str]]) -> None:
        pipeline = self._redis.pipeline(transaction=False)
        for call_id, document in batch:
            pipeline.xadd(
                redis_names.live_stream(call_id),
                {redis_names.FIELD: document},
                maxlen=STREAM_LENGTH,
            )
        for call_id in dict.fromkeys(call_id for call_id, _ in batch):
            pipeline.expire(redis_names.live_stream(call_id), redis_names.LIVE_TTL_SECONDS)
        await pipeline.execute()

    def _drop_oldest(self) -> None:
        while len(self._waiting) > MOST_WAITING:
            self._waiting.popleft()

"""The stream of events that workers ship, read by one consumer of the group ``control-plane``; the
bridges' reports come the same way.

An entry leaves the stream only when its event is applied or parked, so what the stream holds is
what still has to be done.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection
from dataclasses import dataclass
from typing import Any

import structlog
from redis.asyncio import Redis
from redis.exceptions import ResponseError

from contracts import redis_names

BLOCK_SECONDS = 1.0
BATCH = 1000
"""Read at once: the more events of one call come together, the less each of them costs."""
_log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class StreamEntry:
    entry_id: str
    document: str

    @property
    def shipped_at_ms(self) -> int:
        """Unix time at which the entry was added, from its id."""
        return int(self.entry_id.partition("-")[0])


class EventStream:
    def __init__(
        self,
        redis: Redis,
        consumer_name: str,
        *,
        stream: str = redis_names.EVENT_STREAM,
        group: str = redis_names.EVENT_GROUP,
    ) -> None:
        self._redis = redis
        self._consumer_name = consumer_name
        self._stream = stream
        self._group = group

    async def read_new(self) -> list[StreamEntry]:
        """Entries that no consumer has been given yet, waiting ``BLOCK_SECONDS`` for the first."""
        streams = await self._in_group(
            lambda: self._redis.xreadgroup(
                self._group,
                self._consumer_name,
                {self._stream: ">"},
                count=BATCH,
                block=int(BLOCK_SECONDS * 1000),
            )
        )
        return [entry for _, entries in _pairs(streams) for entry in _entries(entries)]

    async def reclaim(self, min_idle_ms: int) -> list[StreamEntry]:
        """Entries given to any consumer ``min_idle_ms`` ago and not finished since."""
        reclaimed: list[StreamEntry] = []
        cursor = "0-0"
        while True:
            answer = await self._in_group(
                lambda start=cursor: self._redis.xautoclaim(
                    self._stream,
                    self._group,
                    self._consumer_name,
                    min_idle_ms,
                    start_id=start,
                    count=BATCH,
                )
            )
            cursor = str(answer[0])
            reclaimed += _entries(answer[1])
            if cursor == "0-0":
                return reclaimed

    async def finish(self, entries: Collection[StreamEntry]) -> None:
        """Remove entries that are dealt with, applied or not."""
        if not entries:
            return
        ids = [entry.entry_id for entry in entries]
        async with self._redis.pipeline(transaction=False) as pipe:
            pipe.xack(self._stream, self._group, *ids)
            pipe.xdel(self._stream, *ids)
            await pipe.execute()

    async def _in_group(self, command: Any) -> Any:
        """Run ``command``; where the group is missing (a fresh or emptied Redis), make it first."""
        try:
            return await command()
        except ResponseError as error:
            if "NOGROUP" not in str(error):
                raise
        await self._create_group()
        return await command()

    async def _create_group(self) -> None:
        try:
            await self._redis.xgroup_create(self._stream, self._group, id="0", mkstream=True)
            _log.info("event_group_created", stream=self._stream)
        except ResponseError as error:
            if "BUSYGROUP" not in str(error):
                raise


async def waiting_entries(redis: Redis) -> AsyncIterator[StreamEntry]:
    """Everything in the stream that is not finished, oldest first, without claiming it."""
    start = "-"
    while True:
        page = _entries(await redis.xrange(redis_names.EVENT_STREAM, min=start, count=BATCH))
        for entry in page:
            yield entry
        if len(page) < BATCH:
            return
        start = f"({page[-1].entry_id}"


def _pairs(streams: Any) -> list[tuple[str, Any]]:
    """XREADGROUP's answer as (stream, entries), in both versions of the protocol."""
    if not streams:
        return []
    return list(streams.items()) if isinstance(streams, dict) else list(streams)


def _entries(raw: Any) -> list[StreamEntry]:
    """Entries deleted while they were pending come without fields and are left out."""
    return [
        StreamEntry(str(entry_id), str(fields.get(redis_names.FIELD, "")))
        for entry_id, fields in raw or ()
        if fields is not None
    ]

"""Which stream a call's events go to, and whether it has room for more."""

from __future__ import annotations

from collections.abc import Collection
from uuid import UUID

import structlog
from redis.asyncio import Redis

from contracts import redis_names

logger = structlog.get_logger(__name__)


class Destinations:
    """Events go to the shards that the control plane announces, and to the one stream of all calls
    while it announces none.

    Args:
        most_waiting: how many events may wait in Redis altogether.
    """

    def __init__(self, redis: Redis, most_waiting: int) -> None:
        self._redis = redis
        self._most_waiting = most_waiting
        self._shards: int | None = None
        self._full: frozenset[str] = frozenset()

    def stream_of(self, call_id: UUID) -> str:
        if self._shards is None:
            return redis_names.EVENT_STREAM
        return redis_names.event_shard_of(call_id, self._shards)

    def has_room(self, call_id: UUID) -> bool:
        """Whether the call's stream can take more events."""
        return self.stream_of(call_id) not in self._full

    @property
    def are_backed_up(self) -> bool:
        """Whether one of the streams that were looked at is full."""
        return bool(self._full)

    async def look(self, call_ids: Collection[UUID]) -> bool:
        """Read what is announced, and how much waits in the streams of ``call_ids``.

        Returns:
            Whether shards were announced and are not any more. Then nobody may be reading them.

        Raises:
            RedisError, OSError: Redis is away.
        """
        announced = await self._redis.get(redis_names.ANNOUNCED_SHARDS)
        shards = int(announced) if announced else None
        is_withdrawn = self._shards is not None and shards is None
        self._shards = shards
        streams = sorted({self.stream_of(call_id) for call_id in call_ids})
        async with self._redis.pipeline(transaction=False) as pipe:
            for stream in streams:
                pipe.xlen(stream)
            lengths = await pipe.execute()
        most = self._most_waiting // (shards or 1)
        full = frozenset(
            stream for stream, length in zip(streams, lengths, strict=True) if length >= most
        )
        if full and not self._full:
            logger.warning("events.held_back", streams=sorted(full), most_waiting=most)
        elif self._full and not full:
            logger.info("events.flow_again")
        self._full = full
        return is_withdrawn

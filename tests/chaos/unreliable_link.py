"""A way to the event stream that loses, doubles and reorders what it is given."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence

from redis.asyncio import Redis

from contracts import redis_names
from contracts.events import CallEvent

LOST = 0.10
DOUBLED = 0.10
HELD_BACK = 0.15
"""Comes after everything else of its shipment."""
UNSHARDED = 0.3
"""A shipment that goes to the one stream of all calls, so that calls change streams."""


class UnreliableLink:
    def __init__(self, redis: Redis, dice: random.Random) -> None:
        self._redis = redis
        self._dice = dice
        self.done: Counter[str] = Counter()
        """How often which mishap came about."""

    async def ship(self, events: Sequence[CallEvent]) -> None:
        on_time: list[CallEvent] = []
        late: list[CallEvent] = []
        for event in events:
            if self._happens(LOST, "lost"):
                continue
            arriving = late if self._happens(HELD_BACK, "reordered") else on_time
            arriving.append(event)
            if self._happens(DOUBLED, "doubled"):
                late.append(event)
        self._dice.shuffle(late)
        as_before = self._happens(UNSHARDED, "sent as a worker of release 0.1 does")
        async with self._redis.pipeline(transaction=False) as pipe:
            for event in (*on_time, *late):
                shard = redis_names.event_shard_of(event.call_id, redis_names.EVENT_SHARDS)
                stream = redis_names.EVENT_STREAM if as_before else shard
                pipe.xadd(stream, {redis_names.FIELD: event.model_dump_json()})
                self.done["sent"] += 1
            await pipe.execute()

    def _happens(self, probability: float, mishap: str) -> bool:
        happens = self._dice.random() < probability
        self.done[mishap] += happens
        return happens

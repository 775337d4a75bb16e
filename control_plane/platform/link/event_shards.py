"""Which jobs process consumes which of the event streams.

Each process that consumes events is a member. The streams are dealt out to the members in turn, by
rules that every process knows, and a lease keeps a stream to one process until that gives it up or
dies. A call's events are then applied by one process after the other, never by two that wait for
each other. Should a lease be lost too early, nothing is applied twice: a call's row is locked while
its events are applied, and it says how far they are.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Sequence
from contextlib import suppress

import structlog
from redis.asyncio import Redis

from contracts import redis_names
from control_plane.platform.link.event_stream import EVENT_STREAMS, SHARDS
from link.common_beat import until_beat
from link.connection import LINK_ERRORS
from link.persistent_loop import run_persistently

ROUND_SECONDS = 1.0
LEASE_MS = 4_000
"""After this time the streams of a dead member are dealt out again."""
LEAVE_SECONDS = 0.3
_log = structlog.get_logger(__name__)

_ROUND = """
local member, lease_ms = ARGV[1], tonumber(ARGV[2])
local now = redis.call('TIME')
local now_ms = now[1] * 1000 + math.floor(now[2] / 1000)
redis.call('ZADD', KEYS[1], now_ms, member)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now_ms - lease_ms)
redis.call('SET', KEYS[2], ARGV[3], 'EX', ARGV[4])
local holders = {}
for position = 3, #KEYS do
    local holder = redis.call('GET', KEYS[position])
    if holder == member then
        redis.call('PEXPIRE', KEYS[position], lease_ms)
    end
    holders[position - 2] = holder
end
return {redis.call('ZRANGE', KEYS[1], 0, -1), holders}
"""
"""A member's sign of life, the announcement of the shards, and the renewal of its leases, in one
message once a second. Returns every member, and the holder of each stream."""


def dealt_to(member: str, members: Collection[str], streams: Sequence[str]) -> frozenset[str]:
    """The streams of one member. Pure: every process comes to the same result."""
    order = sorted(members)
    if member not in order:
        return frozenset()
    return frozenset(streams[order.index(member) :: len(order)])


class ShardLeases:
    """One member. ``held`` are the streams that it may read now.

    A stream that is to go to another member leaves ``held`` at once, and its lease is given up when
    ``nothing_in_hand`` says that what was read from it is applied.
    """

    def __init__(self, redis: Redis, member: str) -> None:
        self._redis = redis
        self._member = member
        self._round = redis.register_script(_ROUND)
        self._leased: frozenset[str] = frozenset()
        self._dealt: frozenset[str] = frozenset()

    @property
    def held(self) -> list[str]:
        """The shards that it may read."""
        return [stream for stream in SHARDS if stream in self._leased & self._dealt]

    @property
    def holds_unsharded(self) -> bool:
        """Whether it may read the one stream of all calls."""
        return redis_names.EVENT_STREAM in self._leased & self._dealt

    async def run(self) -> None:
        """Be a member until cancelled, through every outage of Redis. Then leave."""
        try:
            await run_persistently("event_shards", self._round_and_wait)
        finally:
            with suppress(TimeoutError, *LINK_ERRORS):
                async with asyncio.timeout(LEAVE_SECONDS):
                    await self.leave()

    async def _round_and_wait(self) -> None:
        try:
            await self.round()
        except LINK_ERRORS:
            # Another member may have what we had.
            self._leased = frozenset()
            raise
        await until_beat(ROUND_SECONDS)

    async def round(self) -> None:
        """Be seen, look who else is there, renew our leases and take what is free of our share.

        Raises:
            RedisError, OSError: Redis is away.
        """
        members, found = await self._round(
            keys=[
                redis_names.EVENT_CONSUMERS,
                redis_names.ANNOUNCED_SHARDS,
                *map(_lease, EVENT_STREAMS),
            ],
            args=[
                self._member,
                LEASE_MS,
                redis_names.EVENT_SHARDS,
                redis_names.ANNOUNCED_SHARDS_TTL_SECONDS,
            ],
        )
        holders: dict[str, str | None] = dict(zip(EVENT_STREAMS, found, strict=True))
        ours = frozenset(stream for stream, holder in holders.items() if holder == self._member)
        self._dealt = dealt_to(self._member, members, EVENT_STREAMS)
        taken = await self._take([stream for stream in self._dealt if holders[stream] is None])
        if taken or ours != self._leased:
            _log.info("event_shards", held=len(taken | ours), members=len(members))
        self._leased = taken | ours

    async def nothing_in_hand(self) -> None:
        """Everything that was read is applied or left: give up what goes to another member.

        Raises:
            RedisError, OSError: Redis is away; the leases lapse by themselves.
        """
        leaving = self._leased - self._dealt
        if leaving:
            self._leased -= leaving
            await self._redis.delete(*map(_lease, leaving))

    async def leave(self) -> None:
        """Give up everything at once. The last member takes the announcement along, so that workers
        write to the stream that every release reads.

        Raises:
            RedisError, OSError: Redis is away; what was not given up lapses by itself.
        """
        leased, self._leased = self._leased, frozenset()
        async with self._redis.pipeline(transaction=False) as pipe:
            pipe.zrem(redis_names.EVENT_CONSUMERS, self._member)
            pipe.zcard(redis_names.EVENT_CONSUMERS)
            if leased:
                pipe.delete(*map(_lease, leased))
            _, others, *_ = await pipe.execute()
        if not others:
            await self._redis.delete(redis_names.ANNOUNCED_SHARDS)

    async def _take(self, free: Sequence[str]) -> frozenset[str]:
        """Those of them that no other member has taken meanwhile."""
        if not free:
            return frozenset()
        async with self._redis.pipeline(transaction=False) as pipe:
            for stream in free:
                pipe.set(_lease(stream), self._member, nx=True, px=LEASE_MS)
            replies = await pipe.execute()
        return frozenset(stream for stream, reply in zip(free, replies, strict=True) if reply)


async def events_are_applied(redis: Redis) -> bool:
    """Whether a process that consumes events has shown a sign of life.

    Raises:
        RedisError, OSError: Redis is away.
    """
    oldest_ms = await server_time_ms(redis) - LEASE_MS
    return bool(await redis.zcount(redis_names.EVENT_CONSUMERS, oldest_ms, "+inf"))


async def server_time_ms(redis: Redis) -> int:
    """The server's clock, which all members share."""
    seconds, micros = await redis.time()
    return int(seconds) * 1000 + int(micros) // 1000


def _lease(stream: str) -> str:
    """Key holding the member that reads the stream."""
    return f"{stream}:lease"

"""The event streams are dealt out among the jobs processes, and dealt out again."""

from __future__ import annotations

import asyncio
from collections import Counter

import pytest
from redis.asyncio import Redis

from contracts import redis_names
from control_plane.platform.link.event_shards import LEASE_MS, ShardLeases, dealt_to
from control_plane.platform.link.event_stream import EVENT_STREAMS, SHARDS
from tests.runtime.until import until


@pytest.mark.parametrize("members", [1, 2, 3, 4, 7])
def test_every_stream_is_dealt_to_one_member_and_all_get_about_as_many(members: int) -> None:
    names = [f"member-{number}" for number in range(members)]
    dealt = {name: dealt_to(name, names, EVENT_STREAMS) for name in names}
    streams = Counter(stream for its_streams in dealt.values() for stream in its_streams)
    assert streams == Counter(EVENT_STREAMS)
    sizes = {len(its_streams) for its_streams in dealt.values()}
    assert max(sizes) - min(sizes) <= 1


def test_who_is_not_seen_is_dealt_nothing() -> None:
    assert dealt_to("gone", ["other"], EVENT_STREAMS) == frozenset()


async def test_a_single_member_holds_every_stream(redis: Redis) -> None:
    only = ShardLeases(redis, "only")
    await only.round()
    assert only.held == list(SHARDS)
    assert only.holds_unsharded


async def test_a_second_member_gets_its_share_when_the_first_has_nothing_in_hand(
    redis: Redis,
) -> None:
    first, second = ShardLeases(redis, "first"), ShardLeases(redis, "second")
    await first.round()
    await second.round()
    assert second.held == [], "all leases are the first one's"
    await first.round()
    await second.round()
    assert len(first.held) == len(SHARDS) / 2, "it reads no more of what it gives up"
    assert second.held == [], "what the first one read last may not be applied yet"
    await first.nothing_in_hand()
    await second.round()
    assert sorted(first.held + second.held) == sorted(SHARDS)
    assert first.holds_unsharded != second.holds_unsharded


async def test_who_leaves_frees_its_streams_at_once(redis: Redis) -> None:
    first, second = ShardLeases(redis, "first"), ShardLeases(redis, "second")
    await first.round()
    await second.round()
    await first.leave()
    assert first.held == []
    await second.round()
    assert second.held == list(SHARDS)
    assert await redis.get(redis_names.ANNOUNCED_SHARDS) == str(redis_names.EVENT_SHARDS)


async def test_the_streams_of_a_dead_member_are_dealt_out_when_its_leases_lapse(
    redis: Redis,
) -> None:
    dead, other = ShardLeases(redis, "dead"), ShardLeases(redis, "other")
    await dead.round()
    await other.round()
    assert other.held == []
    # As if the time had passed without a sign of the dead one.
    await redis.zadd(redis_names.EVENT_CONSUMERS, {"dead": 1})
    leases = [f"{stream}:lease" for stream in EVENT_STREAMS]
    for lease in leases:
        assert 0 < await redis.pttl(lease) <= LEASE_MS
    await redis.delete(*leases)
    await other.round()
    assert other.held == list(SHARDS)


async def test_shards_are_announced_while_somebody_consumes_them(redis: Redis) -> None:
    leases = ShardLeases(redis, "only")
    running = asyncio.create_task(leases.run())
    await until(lambda: redis.exists(redis_names.ANNOUNCED_SHARDS))
    ttl = await redis.ttl(redis_names.ANNOUNCED_SHARDS)
    assert 0 < ttl <= redis_names.ANNOUNCED_SHARDS_TTL_SECONDS, "a killed process announces nothing"
    running.cancel()
    await asyncio.wait([running])
    assert await redis.get(redis_names.ANNOUNCED_SHARDS) is None

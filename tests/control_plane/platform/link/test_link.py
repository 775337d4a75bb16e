"""What the control plane reads from and writes to Redis, against a real Valkey."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from uuid import uuid4

from redis.asyncio import Redis

from contracts import redis_names
from contracts.commands import EndCall
from contracts.end_reasons import EndReason
from contracts.heartbeat import CallMedia
from control_plane.platform.link import commands
from control_plane.platform.link.applied_cursors import (
    APPLIED_MEMORY_SECONDS,
    clear_ended_call,
    forget_applied,
    publish_applied,
)
from control_plane.platform.link.dispatch import DISPATCH_MEMORY_MS, forget_old_offers
from control_plane.platform.link.event_stream import BATCH, unsharded_group, waiting_events
from control_plane.platform.link.leases import leased, wait_for_lease
from control_plane.platform.link.media_positions import media_position, media_positions


async def test_only_calls_with_a_lease_are_leased(redis: Redis) -> None:
    held, free = uuid4(), uuid4()
    await redis.set(redis_names.call_lease(held), "worker-1")
    assert await leased(redis, [held, free]) == {held}
    assert await leased(redis, []) == frozenset()


async def test_waiting_for_a_lease_gives_up_in_time(redis: Redis) -> None:
    assert await wait_for_lease(redis, uuid4(), 0.0) is None


async def test_an_unreadable_position_is_no_position(redis: Redis) -> None:
    call_id = uuid4()
    media = CallMedia(
        call_id=call_id,
        tenant_id=uuid4(),
        worker_id="worker-1",
        connected_ms=5,
        sent_at=datetime.now(UTC),
    )
    broken = uuid4()
    await redis.hset(redis_names.MEDIA, str(call_id), media.model_dump_json())
    await redis.hset(redis_names.MEDIA, str(broken), "{")
    assert await media_positions(redis, [call_id, broken, uuid4()]) == {call_id: media}
    assert await media_position(redis, broken) is None
    assert await media_position(redis, uuid4()) is None


async def test_a_workers_command_stream_does_not_outlive_it_for_ever(redis: Redis) -> None:
    end = EndCall(end_reason=EndReason.NORMAL_HANGUP)
    await commands.send(redis, "worker-1", uuid4(), end)
    assert 0 < await redis.ttl(redis_names.worker_commands("worker-1")) <= 3600


async def test_old_plans_are_forgotten_and_new_ones_are_not(redis: Redis) -> None:
    now_ms = 2 * DISPATCH_MEMORY_MS
    for at_ms in (now_ms - DISPATCH_MEMORY_MS - 1, now_ms):
        await redis.xadd(redis_names.DISPATCH_STREAM, {"json": "{}"}, id=f"{at_ms}-0")
    await forget_old_offers(redis, now_ms)
    entries = await redis.xrange(redis_names.DISPATCH_STREAM)
    assert [entry_id for entry_id, _ in entries] == [f"{now_ms}-0"]


async def test_a_forgotten_offer_is_not_pending_any_more(redis: Redis) -> None:
    now_ms = 2 * DISPATCH_MEMORY_MS
    await forget_old_offers(redis, now_ms)
    for at_ms in (now_ms - DISPATCH_MEMORY_MS - 1, now_ms):
        await redis.xadd(redis_names.DISPATCH_STREAM, {"json": "unreadable"}, id=f"{at_ms}-0")
    await redis.xgroup_create(redis_names.DISPATCH_STREAM, redis_names.DISPATCH_GROUP, id="0")
    await redis.xreadgroup(redis_names.DISPATCH_GROUP, "w1", {redis_names.DISPATCH_STREAM: ">"})
    await forget_old_offers(redis, now_ms)
    pending = await redis.xpending(redis_names.DISPATCH_STREAM, redis_names.DISPATCH_GROUP)
    assert (pending["pending"], pending["min"]) == (1, f"{now_ms}-0")


async def test_everything_that_waits_is_seen_page_by_page(redis: Redis) -> None:
    for n in range(2 * BATCH + 1):
        await redis.xadd(redis_names.EVENT_STREAM, {redis_names.FIELD: str(n)})
    seen = [entry.document async for entry in waiting_events(redis, [])]
    assert seen == [str(n) for n in range(2 * BATCH + 1)]
    stream = unsharded_group(redis, "jobs")
    assert len(await stream.read_new()) == BATCH, "looking does not claim"


async def test_only_the_cursor_of_a_call_that_is_long_over_is_forgotten(redis: Redis) -> None:
    running, over = uuid4(), uuid4()
    await publish_applied(redis, {running: 3, over: 9}, [over])
    await forget_applied(redis, time.time() + APPLIED_MEMORY_SECONDS - 5)
    assert await redis.hgetall(redis_names.APPLIED) == {str(running): "3", str(over): "9"}
    await forget_applied(redis, time.time() + APPLIED_MEMORY_SECONDS + 5)
    assert await redis.hgetall(redis_names.APPLIED) == {str(running): "3"}
    assert await redis.keys("*over*") == []


async def test_a_call_ended_without_its_worker_leaves_nothing_to_claim(redis: Redis) -> None:
    call_id = uuid4()
    entry_id = await redis.xadd(redis_names.DISPATCH_STREAM, {"json": "{}"})
    await redis.hset(redis_names.MEDIA, str(call_id), "{}")
    await redis.xgroup_create(redis_names.DISPATCH_STREAM, redis_names.DISPATCH_GROUP, id="0")
    await redis.xreadgroup(redis_names.DISPATCH_GROUP, "w1", {redis_names.DISPATCH_STREAM: ">"})
    await clear_ended_call(redis, uuid4(), call_id, 0, str(entry_id))
    assert await redis.xlen(redis_names.DISPATCH_STREAM) == 0
    pending = await redis.xpending(redis_names.DISPATCH_STREAM, redis_names.DISPATCH_GROUP)
    assert pending["pending"] == 0
    assert not await redis.hexists(redis_names.MEDIA, str(call_id))
    assert await redis.hget(redis_names.APPLIED, str(call_id)) == "0"

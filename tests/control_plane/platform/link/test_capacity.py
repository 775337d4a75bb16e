"""Whether a worker would begin one more call in time, as heartbeats and the queue say."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import Literal
from uuid import UUID, uuid4

import pytest
from redis.asyncio import Redis

from contracts import redis_names
from contracts.call_offer import CallOffer
from contracts.heartbeat import WorkerHeartbeat
from control_plane.platform.link.capacity import Capacity, CapacityView, read_capacity
from control_plane.platform.link.redis_client import connect
from link.dispatch_queue import DispatchQueue

LOUD, QUIET = UUID(int=1), UUID(int=2)


def waiting(loud: int, quiet: int = 0) -> dict[str, int]:
    return {str(LOUD): loud, str(QUIET): quiet}


def test_without_workers_there_is_no_room() -> None:
    assert not Capacity(slots=0, free=0, recently_begun=10).has_room_for(QUIET)


def test_a_free_slot_is_room_for_one_call() -> None:
    capacity = Capacity(slots=2, free=1)
    assert capacity.has_room_for(QUIET)
    assert not capacity.with_waiting(QUIET).has_room_for(QUIET)


def test_a_full_worker_has_room_as_fast_as_its_calls_end() -> None:
    assert not Capacity(slots=2, free=0).has_room_for(QUIET)
    busy = Capacity(slots=2, free=0, recently_begun=5, waiting=waiting(loud=4))
    assert busy.has_room_for(LOUD)
    assert not busy.with_waiting(LOUD).has_room_for(LOUD)


def test_a_long_queue_of_one_tenant_leaves_room_for_another() -> None:
    capacity = Capacity(slots=9, free=0, recently_begun=5, waiting=waiting(loud=100, quiet=2))
    assert capacity.ahead_of(LOUD) == 102
    assert capacity.ahead_of(QUIET) == 5
    assert capacity.ahead_of(uuid4()) == 2
    assert not capacity.has_room_for(LOUD)
    assert not capacity.has_room_for(QUIET)
    assert capacity.has_room_for(uuid4())


def test_a_tenant_with_more_weight_has_less_ahead_of_it() -> None:
    capacity = Capacity(9, 0, 5, waiting(loud=100, quiet=3), weights={str(QUIET): 4})
    assert capacity.ahead_of(QUIET) == 3 + 1
    assert capacity.ahead_of(uuid4()) == 1 + 3


async def beat(
    redis: Redis,
    worker_id: str,
    state: Literal["warming", "ready", "draining"],
    total: int,
    used: int,
    because: str | None = None,
    seconds: float = 0.0,
) -> None:
    heartbeat = WorkerHeartbeat(
        worker_id=worker_id,
        sent_at=datetime.now(UTC),
        state=state,
        slots_total=total,
        slots_used=used,
        claims_nothing_because=because,
        claims_nothing_seconds=seconds,
    )
    await redis.sadd(redis_names.WORKERS, worker_id)
    await redis.set(redis_names.worker_heartbeat(worker_id), heartbeat.model_dump_json())


async def test_the_slots_of_workers_that_claim_calls_or_soon_will_are_counted(
    redis: Redis,
) -> None:
    assert await read_capacity(redis) == Capacity(0, 0)
    await beat(redis, "w1", "ready", 10, 7)
    await beat(redis, "w2", "warming", 5, 0)
    await beat(redis, "w3", "draining", 10, 1)
    await redis.sadd(redis_names.WORKERS, "dead")
    await beat(redis, "later", "ready", 10, 0)
    await redis.set(redis_names.worker_heartbeat("later"), '{"version": 2}')
    queue = DispatchQueue(redis)
    for _ in range(3):
        await queue.add(CallOffer.made(uuid4(), LOUD, datetime.now(UTC)), "{}", 4)
    assert await read_capacity(redis) == Capacity(
        slots=15,
        free=8,
        recently_begun=1,
        waiting={str(LOUD): 2},
        weights={str(LOUD): 4},
        workers=2,
    )


@pytest.mark.parametrize(
    ("because", "seconds", "slots"),
    [
        ("frames_late", 4.9, 5),
        ("frames_late", 5.0, 0),
        ("models_busy", 60.0, 0),
        ("a reason of a later release", 60.0, 0),
        ("waiting_calls", 60.0, 5),
    ],
)
async def test_a_worker_that_has_been_full_for_long_is_expected_to_end_no_call_in_time(
    redis: Redis, because: str, seconds: float, slots: int
) -> None:
    await beat(redis, "w1", "ready", 5, 5, because, seconds)
    for _ in range(3):
        await DispatchQueue(redis).add(CallOffer.made(uuid4(), LOUD, datetime.now(UTC)), "{}", 4)
        await redis.delete(redis_names.DISPATCH_STREAM)
    capacity = await read_capacity(redis)
    assert (capacity.slots, capacity.free, capacity.workers) == (slots, 0, 1)
    assert capacity.recently_begun > 0
    assert capacity.has_room_for(QUIET) == (slots > 0)


async def test_one_full_worker_keeps_no_call_from_another(redis: Redis) -> None:
    await beat(redis, "w1", "ready", 5, 5, "loop_blocked", 60.0)
    await beat(redis, "w2", "ready", 5, 4)
    capacity = await read_capacity(redis)
    assert (capacity.slots, capacity.free, capacity.workers) == (5, 1, 2)


async def test_a_busy_worker_is_told_from_none_at_all(redis: Redis) -> None:
    clock = Clock()
    view = CapacityView(redis, clock)
    assert not view.has_workers, "before the first look nothing is known"
    assert not await view.admit(QUIET)
    assert not view.has_workers
    await beat(redis, "w1", "ready", 0, 0, "models_busy", 60.0)
    clock.now += 1
    assert not await view.admit(QUIET)
    assert view.has_workers


class Clock:
    def __init__(self) -> None:
        self.now = time.monotonic()

    def __call__(self) -> float:
        return self.now


async def test_calls_admitted_since_the_last_look_count(redis: Redis) -> None:
    clock = Clock()
    view = CapacityView(redis, clock)
    await beat(redis, "w1", "ready", 2, 0)
    assert [await view.admit(QUIET) for _ in range(3)] == [True, True, False]
    await beat(redis, "w1", "ready", 3, 0)
    assert not await view.admit(QUIET)
    clock.now += 1
    assert await view.admit(QUIET)


async def test_while_redis_is_away_and_until_it_can_know_its_workers_again_calls_are_admitted(
    redis: Redis, valkey_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Clock()
    view = CapacityView(connect("redis://127.0.0.1:1"), clock)
    assert await view.admit(QUIET)
    monkeypatch.setattr(view, "_redis", redis)
    clock.now += 2
    assert await view.admit(QUIET), "no worker has had the time to say that it is there"
    clock.now += redis_names.HEARTBEAT_TTL_SECONDS
    assert not await view.admit(QUIET)

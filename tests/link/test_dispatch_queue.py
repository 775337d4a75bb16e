"""Calls of many tenants wait for a worker, against a real Valkey."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import UUID, uuid4

import pytest
from redis.asyncio import Redis

from contracts import redis_names
from contracts.call_offer import CallOffer
from link.consumer_group import ConsumerGroup
from link.dispatch_queue import DispatchQueue
from link.stream_entry import StreamEntry

LOUD, QUIET, THIRD = (UUID(int=number) for number in (1, 2, 3))


@pytest.fixture
def queue(redis: Redis) -> DispatchQueue:
    return DispatchQueue(redis)


async def add(queue: DispatchQueue, tenant_id: UUID, weight: int | None = None) -> UUID:
    """A call whose plan is the tenant's number."""
    offer = CallOffer.made(uuid4(), tenant_id, datetime.now(UTC))
    await queue.add(offer, str(tenant_id.int), weight)
    return offer.call_id


class Worker:
    """Claims calls one by one, and finishes them."""

    def __init__(self, redis: Redis, *, chooses_next: bool = True) -> None:
        self._queue = DispatchQueue(redis)
        self._chooses_next = chooses_next
        self.group = ConsumerGroup(
            redis, redis_names.DISPATCH_STREAM, redis_names.DISPATCH_GROUP, "w", batch=1, block_ms=1
        )

    async def claim(self) -> StreamEntry | None:
        if self._chooses_next:
            await self._queue.advance()
        for entry in await self.group.read_new():
            await self.group.finish([entry])
            return entry
        return None

    async def tenants(self) -> list[int]:
        """Of every call that can be claimed, in order."""
        claimed = []
        while entry := await self.claim():
            claimed.append(int(entry.document))
        return claimed


async def test_a_call_that_nobody_is_ahead_of_is_offered_at_once(
    redis: Redis, queue: DispatchQueue
) -> None:
    offer = CallOffer.made(uuid4(), LOUD, datetime.now(UTC))
    entry_id = await queue.add(offer, "plan", None)
    [(on_stream, fields)] = await redis.xrange(redis_names.DISPATCH_STREAM)
    assert (on_stream, fields["json"]) == (entry_id, "plan")
    assert CallOffer.model_validate_json(fields["header"]) == offer
    assert await queue.entry_of(offer.call_id) == entry_id
    assert await queue.waiting() == {}


async def test_a_tenant_with_one_call_does_not_wait_for_the_hundred_of_another(
    redis: Redis, queue: DispatchQueue
) -> None:
    for _ in range(100):
        await add(queue, LOUD)
    await add(queue, QUIET)
    assert await redis.xlen(redis_names.DISPATCH_STREAM) == 1, "the others wait for their turn"
    assert await queue.waiting() == {str(LOUD): 99, str(QUIET): 1}
    claimed = await Worker(redis).tenants()
    assert claimed.index(QUIET.int) <= 2
    assert claimed.count(LOUD.int) == 100
    assert await queue.waiting() == {}


async def test_a_first_call_is_next_and_the_one_after_it_waits_for_a_round(
    redis: Redis, queue: DispatchQueue
) -> None:
    worker = Worker(redis)
    for _ in range(10):
        await add(queue, LOUD)
    claimed = [await worker.claim() for _ in range(3)]
    await add(queue, QUIET)
    claimed.append(await worker.claim())
    await add(queue, QUIET)
    claimed += [await worker.claim() for _ in range(2)]
    await add(queue, QUIET)
    claimed += [await worker.claim() for _ in range(2)]
    assert [int(each.document) for each in claimed if each] == [1, 1, 1, 2, 1, 2, 1, 2]


async def test_tenants_take_turns_and_a_turn_is_as_long_as_the_tenants_weight(
    redis: Redis, queue: DispatchQueue
) -> None:
    await add(queue, THIRD)
    for tenant, weight in ((LOUD, 3), (QUIET, 1), (THIRD, None)):
        for _ in range(5):
            await add(queue, tenant, weight)
    claimed = await Worker(redis).tenants()
    assert claimed[1:] == [1, 1, 1, 2, 3, 1, 1, 2, 3, 2, 3, 2, 3, 2, 3]
    await add(queue, LOUD, 1)
    assert await redis.exists(redis_names.DISPATCH_WEIGHTS) == 0


async def test_calls_of_one_tenant_are_offered_in_their_order(
    redis: Redis, queue: DispatchQueue
) -> None:
    added = [await add(queue, LOUD) for _ in range(5)]
    worker = Worker(redis)
    claimed = [await worker.claim() for _ in added]
    assert [CallOffer.model_validate_json(e.header).call_id for e in claimed if e] == added


async def test_a_worker_of_release_0_1_gets_its_next_call_from_the_control_plane(
    redis: Redis, queue: DispatchQueue
) -> None:
    old = Worker(redis, chooses_next=False)
    for _ in range(4):
        await add(queue, LOUD)
    assert len(await old.tenants()) == 1
    await queue.advance()
    assert len(await old.tenants()) == 1
    await queue.advance(window=16)
    assert len(await old.tenants()) == 2


async def test_while_no_worker_has_a_free_slot_nothing_is_offered(
    redis: Redis, queue: DispatchQueue
) -> None:
    await add(queue, LOUD)
    await Worker(redis).claim()
    await add(queue, LOUD)
    await add(queue, LOUD)
    offered = await redis.xlen(redis_names.DISPATCH_STREAM)
    await queue.advance(window=0)
    assert await redis.xlen(redis_names.DISPATCH_STREAM) == offered


async def test_offers_of_release_0_1_which_are_on_the_stream_already_come_first(
    redis: Redis, queue: DispatchQueue
) -> None:
    await redis.xadd(redis_names.DISPATCH_STREAM, {"json": "9", "header": ""})
    await add(queue, LOUD)
    worker = Worker(redis, chooses_next=False)
    assert await worker.tenants() == [9]
    await queue.advance()
    assert await worker.tenants() == [LOUD.int]


async def test_a_call_that_is_over_is_not_offered_wherever_it_waits(
    redis: Redis, queue: DispatchQueue
) -> None:
    first, second, third = [await add(queue, LOUD) for _ in range(3)]
    await queue.withdraw(LOUD, second, None)
    await queue.withdraw(LOUD, first, None)
    entry = await Worker(redis).claim()
    assert entry is not None
    assert CallOffer.model_validate_json(entry.header).call_id == third
    last = await add(queue, LOUD)
    await queue.withdraw(LOUD, last, None)
    assert await redis.xlen(redis_names.DISPATCH_STREAM) == 0
    assert await queue.waiting() == {}


async def test_an_offer_that_expired_while_it_waited_is_left_out(
    redis: Redis, queue: DispatchQueue
) -> None:
    await add(queue, LOUD)
    expired = await add(queue, LOUD)
    await redis.delete(redis_names.waiting_offer(expired))
    await add(queue, QUIET)
    assert await Worker(redis).tenants() == [LOUD.int, QUIET.int]
    assert await queue.waiting() == {}


async def test_a_call_that_is_added_twice_is_offered(redis: Redis, queue: DispatchQueue) -> None:
    await add(queue, QUIET)
    offer = CallOffer.made(uuid4(), LOUD, datetime.now(UTC))
    await queue.add(offer, "1", None)
    await queue.add(offer, "1", None)
    assert await Worker(redis).tenants() == [QUIET.int, LOUD.int]
    assert await queue.waiting() == {}


async def test_after_redis_has_lost_everything_the_next_call_is_offered(
    redis: Redis, queue: DispatchQueue
) -> None:
    for _ in range(3):
        await add(queue, LOUD)
    await redis.flushall()
    await redis.script_flush()
    await add(queue, QUIET)
    assert await Worker(redis).tenants() == [QUIET.int]


async def test_a_call_is_within_its_tenants_share_if_it_begins_in_the_next_turn(
    redis: Redis, queue: DispatchQueue
) -> None:
    first, second, third = [await add(queue, LOUD) for _ in range(3)]
    quiet = await add(queue, QUIET)
    shares = [await queue.share_of(each) for each in (first, second, third, quiet, uuid4())]
    # The first one went to the stream at once, so nothing was before the second.
    assert shares == ["within", "within", "beyond", "within", None]


async def test_the_longest_wait_is_that_of_the_oldest_call(
    redis: Redis, queue: DispatchQueue
) -> None:
    seconds, microseconds = await redis.time()
    now = float(seconds) + float(microseconds) / 1_000_000
    assert await queue.longest_wait_seconds(now + 20) == 0
    for tenant_id in (LOUD, LOUD, QUIET):
        await add(queue, tenant_id)
    # The queue counts whole milliseconds.
    assert 19 < await queue.longest_wait_seconds(now + 20) <= 20.001


async def test_what_was_dispatched_lately_is_known(redis: Redis, queue: DispatchQueue) -> None:
    now_seconds = float((await redis.time())[0])
    for _ in range(3):
        await add(queue, LOUD)
    assert await queue.dispatched_recently(now_seconds) == 1
    await Worker(redis).tenants()
    assert await queue.dispatched_recently(now_seconds) == 3
    assert await queue.dispatched_recently(now_seconds + 60) == 0

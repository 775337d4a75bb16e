"""Events by shards: several consumers, two releases, and a call that changes streams."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from uuid import UUID, uuid4

from redis.asyncio import Redis
from sqlalchemy import select

from contracts import redis_names
from contracts.call_plan import CallPlan
from contracts.events import CallEvent, TranscriptSegment
from control_plane.calling.calls.events.consumer import EventConsumer
from control_plane.calling.calls.events.event_consumption import consume_events
from control_plane.calling.calls.events.unsharded_events import UnshardedEvents
from control_plane.calling.calls.models import ParkedEvent
from control_plane.platform.database import Database
from control_plane.platform.link.event_shards import ShardLeases
from control_plane.platform.link.event_stream import SHARDS, stream_lengths
from link.stream_entry import StreamEntry
from tests.control_plane.conftest import TenantClient
from tests.control_plane.conversation import call_of, catch_up, claimed_call, running_call
from tests.control_plane.fake_worker import FakeWorker
from tests.runtime.until import until


def said(sequence: int) -> TranscriptSegment:
    return TranscriptSegment(
        sequence=sequence, speaker="user", text=f"word {sequence}", started_at_ms=0, ended_at_ms=1
    )


async def words(tenant: TenantClient, plan: CallPlan) -> list[str]:
    return [s["text"] for s in (await call_of(tenant, plan))["transcript"]["segments"]]


async def ship_sharded(redis: Redis, event: CallEvent) -> None:
    """As a worker does to which shards are announced."""
    stream = redis_names.event_shard_of(event.call_id, redis_names.EVENT_SHARDS)
    await redis.xadd(stream, {redis_names.FIELD: event.model_dump_json()})


class Counting(EventConsumer):
    def __init__(self, database: Database, redis: Redis, leases: ShardLeases) -> None:
        super().__init__(database, redis, leases=leases)
        self.given: list[str] = []

    async def consume(self, entries: Sequence[StreamEntry]) -> frozenset[UUID]:
        self.given += [f"{entry.stream} {entry.entry_id}" for entry in entries]
        return await super().consume(entries)


@asynccontextmanager
async def running(*loops: asyncio.Task[None]) -> AsyncIterator[None]:
    yield
    for loop in loops:
        loop.cancel()
    await asyncio.wait(loops)


async def until_applied(redis: Redis) -> None:
    async def is_empty() -> bool:
        return not any((await stream_lengths(redis)).values())

    await until(is_empty)


async def test_two_consumers_share_a_backlog_and_nothing_is_given_twice(
    tenant: TenantClient, worker: FakeWorker, redis: Redis, database: Database
) -> None:
    """With one stream for both, each was given later events of calls whose earlier events the other
    one had, and every such event again and again."""
    plans = [await claimed_call(tenant, worker) for _ in range(12)]
    for plan in plans:
        await worker.start(plan)
    for turn in range(20):
        for plan in plans:
            await ship_sharded(redis, worker.note(plan, said(turn)))
    leases = [ShardLeases(redis, name) for name in ("a", "b")]
    consumers = [Counting(database, redis, each) for each in leases]
    for _ in range(2):
        for each in leases:
            await each.round()
            await each.nothing_in_hand()
    await leases[1].round()
    assert [len(each.held) for each in leases] == [len(SHARDS) // 2] * 2
    mover = UnshardedEvents(redis, next(each for each in leases if each.holds_unsharded))
    await mover.move(await mover._stream.read_new())
    loops = [asyncio.create_task(each.run()) for each in (*leases, *consumers)]
    async with running(*loops):
        await until_applied(redis)
    for plan in plans:
        assert await words(tenant, plan) == [f"word {turn}" for turn in range(20)]
    assert all(consumer.given for consumer in consumers), "both had work"


async def test_a_call_that_changes_from_the_old_stream_to_its_shard_loses_nothing(
    tenant: TenantClient,
    worker: FakeWorker,
    consumer: EventConsumer,
    redis: Redis,
    database: Database,
) -> None:
    plan = await running_call(tenant, worker, consumer)
    first = [worker.note(plan, said(number)) for number in range(3)]
    later = [worker.note(plan, said(number)) for number in range(3, 6)]
    for event in later:
        await ship_sharded(redis, event)
    shard = redis_names.event_shard_of(plan.call_id, redis_names.EVENT_SHARDS)

    async def are_read() -> bool:
        pending = await redis.xpending(shard, redis_names.EVENT_GROUP)
        return bool(pending["pending"] == len(later))

    async with running(asyncio.create_task(consume_events(database, redis))):
        await until(are_read)
        assert await words(tenant, plan) == [], "later events wait for the earlier ones"
        for event in first:
            await worker.ship_event(event)
        await until_applied(redis)
    assert await words(tenant, plan) == [f"word {number}" for number in range(6)]


async def test_what_a_worker_of_the_previous_release_sends_goes_to_its_calls_shard(
    redis: Redis, worker: FakeWorker
) -> None:
    leases = ShardLeases(redis, "only")
    mover = UnshardedEvents(redis, leases)
    call_id = uuid4()
    documents = [f'{{"call_id": "{call_id}", "seq": {seq}, "of": "any release"}}' for seq in (1, 2)]
    for document in (*documents, "garbage"):
        await worker.ship_document(document)
    await mover.move(await mover._stream.read_new())
    moved = await redis.xrange(redis_names.event_shard_of(call_id, redis_names.EVENT_SHARDS))
    kept = [fields[redis_names.FIELD] for _, fields in moved]
    assert [document for document in kept if document != "garbage"] == documents
    [*_, (_, fields)] = await redis.xrange(SHARDS[0])
    assert fields[redis_names.FIELD] == "garbage", "its consumer parks it"
    assert await redis.xlen(redis_names.EVENT_STREAM) == 0
    pending = await redis.xpending(redis_names.EVENT_STREAM, redis_names.EVENT_GROUP)
    assert pending["pending"] == 0


async def test_events_with_one_id_in_two_streams_are_both_parked(
    redis: Redis, consumer: EventConsumer, database: Database
) -> None:
    for stream in SHARDS[:2]:
        await redis.xadd(stream, {redis_names.FIELD: f"rubbish in {stream}"}, id="5-1")
    await catch_up(consumer)
    async with database.system_session() as session:
        parked = (await session.scalars(select(ParkedEvent).order_by(ParkedEvent.id))).all()
    assert {each.stream_entry_id: each.document for each in parked} == {
        f"{stream}/5-1": f"rubbish in {stream}" for stream in SHARDS[:2]
    }


async def test_an_event_that_is_left_to_others_is_taken_from_another_ones_shard(
    tenant: TenantClient,
    worker: FakeWorker,
    consumer: EventConsumer,
    redis: Redis,
    database: Database,
) -> None:
    plan = await running_call(tenant, worker, consumer)
    event = worker.note(plan, said(0))
    await ship_sharded(redis, event)
    holder = EventConsumer(database, redis)
    entries = await holder.stream.read_new()
    nothing = ShardLeases(redis, "holds nothing")
    other = EventConsumer(database, redis, leases=nothing)
    await other.sweep(min_idle_ms=0)
    assert await words(tenant, plan) == [], "the holder has it"
    await holder.stream.release(entries, 60_000)
    await other.sweep(min_idle_ms=0)
    assert await words(tenant, plan) == ["word 0"]

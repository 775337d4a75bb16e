"""Reading as one of a group, against a real Valkey."""

from __future__ import annotations

import pytest
from redis.asyncio import Redis
from redis.exceptions import ResponseError
from structlog.testing import capture_logs

from link.consumer_group import ConsumerGroup, read_new


def consumer(redis: Redis, name: str = "one", batch: int = 10) -> ConsumerGroup:
    return ConsumerGroup(redis, "stream", "group", name, batch=batch, block_ms=1)


async def add(redis: Redis, *documents: str, stream: str = "stream") -> None:
    for document in documents:
        await redis.xadd(stream, {"json": document})


async def new_documents(group: ConsumerGroup) -> list[str]:
    return [entry.document for entry in await group.read_new()]


async def reclaimed(group: ConsumerGroup, limit: int | None = None) -> list[str]:
    return [entry.document for entry in await group.reclaim(0, limit)]


async def test_a_missing_group_is_created_and_begins_at_the_streams_start(redis: Redis) -> None:
    await add(redis, "1", "2")
    with capture_logs() as log:
        assert await new_documents(consumer(redis)) == ["1", "2"]
    assert [(each["event"], each["stream"], each["group"]) for each in log] == [
        ("link.group_created", "stream", "group")
    ]


async def test_reclaiming_creates_a_missing_group_too(redis: Redis) -> None:
    assert await reclaimed(consumer(redis)) == []
    assert [group["name"] for group in await redis.xinfo_groups("stream")] == ["group"]


async def test_a_redis_that_forgets_everything_gets_its_group_back(redis: Redis) -> None:
    group = consumer(redis)
    await group.read_new()
    await redis.flushall()
    await add(redis, "1")
    assert await new_documents(group) == ["1"]


async def test_another_refusal_of_the_server_is_raised(redis: Redis) -> None:
    await redis.set("stream", "no stream")
    with pytest.raises(ResponseError):
        await consumer(redis).read_new()


async def test_an_entry_goes_to_one_consumer_and_a_batch_at_a_time(redis: Redis) -> None:
    one, other = consumer(redis, "one", batch=2), consumer(redis, "other", batch=2)
    await add(redis, "1", "2", "3")
    assert await new_documents(one) == ["1", "2"]
    assert await new_documents(other) == ["3"]
    assert await new_documents(one) == []


async def test_what_is_not_finished_can_be_reclaimed_by_any_consumer(redis: Redis) -> None:
    one, other = consumer(redis, "one"), consumer(redis, "other")
    await add(redis, "1", "2", "3")
    entries = await one.read_new()
    await one.finish(entries[:1])
    assert await other.reclaim(60_000) == []
    assert await reclaimed(other) == ["2", "3"]


async def test_reclaiming_goes_through_every_page_unless_it_is_limited(redis: Redis) -> None:
    documents = [str(number) for number in range(25)]
    await add(redis, *documents)
    await consumer(redis, batch=100).read_new()
    assert await reclaimed(consumer(redis, "other", batch=2)) == documents
    assert await reclaimed(consumer(redis, "third", batch=2), limit=3) == documents[:3]


async def test_a_limit_is_reached_past_entries_that_are_busy(redis: Redis) -> None:
    await add(redis, *[str(number) for number in range(25)])
    pending = await consumer(redis).read_new()
    pending += await consumer(redis, batch=100).read_new()
    await redis.xclaim(
        "stream", "group", "dead", 0, [pending[-1].entry_id], idle=600_000, justid=True
    )
    group = consumer(redis, "other", batch=1)
    assert [entry.document for entry in await group.reclaim(300_000, limit=1)] == ["24"]


async def test_finished_entries_leave_the_stream(redis: Redis) -> None:
    group = consumer(redis)
    await add(redis, "1", "2")
    entries = await group.read_new()
    await group.finish(entries[:1])
    assert [fields["json"] for _, fields in await redis.xrange("stream")] == ["2"]
    assert (await redis.xpending("stream", "group"))["pending"] == 1
    await group.finish([])
    assert await redis.xlen("stream") == 1


async def test_entries_deleted_while_they_were_pending_are_not_reclaimed(redis: Redis) -> None:
    await add(redis, "1", "2")
    group = consumer(redis)
    entries = await group.read_new()
    await redis.xdel("stream", entries[0].entry_id)
    assert await reclaimed(group) == ["2"]


async def test_several_streams_are_read_together_without_acknowledgements(redis: Redis) -> None:
    async def documents() -> list[str]:
        entries = await read_new(
            redis, ["a", "b"], "group", "one", batch=10, block_ms=1, noack=True
        )
        return [entry.document for entry in entries]

    await add(redis, "1", stream="a")
    assert await documents() == ["1"]
    await add(redis, "2", stream="b")
    assert await documents() == ["2"]
    assert (await redis.xpending("a", "group"))["pending"] == 0


async def test_what_is_taken_over_is_the_oldest_idle_entry_that_is_not_left_out(
    redis: Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("link.consumer_group.PENDING_PAGE", 2)
    one, other = consumer(redis, "one"), consumer(redis, "other")
    assert await other.take_over(0, besides=()) is None
    await add(redis, *[str(number) for number in range(5)])
    entries = await one.read_new()
    left = {entry.entry_id for entry in entries[:3]}
    assert await other.take_over(60_000, besides=()) is None
    assert await other.take_over(0, besides=left) == entries[3]
    assert await other.take_over(0, besides=left | {entries[3].entry_id}) == entries[4]
    assert await other.take_over(0, besides={entry.entry_id for entry in entries}) is None


async def test_a_released_entry_can_be_had_by_others_at_once(redis: Redis) -> None:
    one, other = consumer(redis, "one"), consumer(redis, "other")
    await add(redis, "1")
    entries = await one.read_new()
    assert await other.take_over(60_000, besides=()) is None
    await one.release(entries, 60_000)
    assert await other.take_over(60_000, besides=()) == entries[0]
    assert await one.take_over(60_000, besides=()) is None, "it is not idle any more"
    await one.release([], 60_000)


async def test_an_entry_that_was_deleted_while_it_was_pending_is_not_taken_over(
    redis: Redis,
) -> None:
    group = consumer(redis)
    await add(redis, "1", "2")
    entries = await group.read_new()
    await redis.xdel("stream", entries[0].entry_id)
    assert await group.take_over(0, besides=()) == entries[1]

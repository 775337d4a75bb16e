"""Journals to a real Valkey that dies, comes back, and forgets."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from redis.asyncio import Redis
from structlog.testing import capture_logs

from contracts import redis_names
from contracts.end_reasons import EndReason
from contracts.events import CallEnded, CallEvent, CallMetered, RoomOpened
from link.stream_entry import listed_entries
from runtime.journal import event_shipper
from runtime.journal.event_shipper import MOST_WAITING, EventShipper
from runtime.journal.journal import Journal
from runtime.journal.store import JournalStore
from runtime.link.redis_client import connect
from tests.runtime.fakes import call_plan
from tests.runtime.until import until
from tests.runtime.valkey_process import ValkeyProcess


@asynccontextmanager
async def shipping(
    url: str, tmp_path: Path, most_waiting: int = MOST_WAITING
) -> AsyncIterator[tuple[EventShipper, JournalStore]]:
    store = JournalStore(tmp_path, "w1")
    redis = connect(url)
    shipper = EventShipper(redis, most_waiting)
    running = asyncio.create_task(shipper.run())
    try:
        yield shipper, store
    finally:
        running.cancel()
        await asyncio.wait([running])
        await redis.aclose()
        store.close()


@pytest.fixture
async def valkey(tmp_path: Path) -> AsyncIterator[ValkeyProcess]:
    directory = tmp_path / "valkey"
    directory.mkdir()
    process = ValkeyProcess(directory)
    await process.start()
    yield process
    await process.kill()


async def arrived(url: str) -> list[int]:
    """The ``seq`` of every entry of the event stream."""
    async with Redis.from_url(url, decode_responses=True) as redis:
        entries = listed_entries(await redis.xrange(redis_names.EVENT_STREAM))
    return [CallEvent.model_validate_json(each.document).seq for each in entries]


async def apply(url: str, journal: Journal, seq: int) -> None:
    async with Redis.from_url(url) as redis:
        await redis.hset(redis_names.APPLIED, str(journal.plan.call_id), str(seq))


async def times_looked(url: str) -> int:
    """How often this Valkey has been asked what is applied."""
    async with Redis.from_url(url) as redis:
        statistics = await redis.info("commandstats")
    return int(statistics.get("cmdstat_hmget", {"calls": 0})["calls"])


async def has_arrived(url: str, expected: list[int]) -> bool:
    return await arrived(url) == expected


async def test_events_arrive_in_order_and_the_journal_goes_when_all_are_applied(
    valkey_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(event_shipper, "LOOK_SECONDS", 0.05)
    async with shipping(valkey_url, tmp_path) as (shipper, store):
        journal = await store.create(call_plan())
        shipper.add(journal)
        journal.append(RoomOpened())
        for position in range(300):
            journal.append(CallMetered(connected_ms=position))
        journal.append(CallEnded(end_reason=EndReason.NORMAL_HANGUP, connected_ms=300))
        await until(lambda: has_arrived(valkey_url, list(range(1, 303))))
        assert list(shipper.unsettled) == [journal.plan.call_id]
        await apply(valkey_url, journal, 301)
        looked = await times_looked(valkey_url)

        async def has_looked_twice_since() -> bool:
            return await times_looked(valkey_url) >= looked + 2

        await until(has_looked_twice_since)
        assert journal.path.exists()
        await apply(valkey_url, journal, 302)
        await until(lambda: not journal.path.exists())
        assert list(shipper.unsettled) == []


async def test_events_written_while_the_link_is_down_arrive_when_it_is_back(
    valkey: ValkeyProcess, tmp_path: Path
):
    async with shipping(valkey.url, tmp_path) as (shipper, store):
        journal = await store.create(call_plan())
        shipper.add(journal)
        journal.append(RoomOpened())
        await until(lambda: has_arrived(valkey.url, [1]))
        await apply(valkey.url, journal, 1)
        with capture_logs() as logs:
            await valkey.kill()
            journal.append(CallMetered(connected_ms=1))
            journal.append(CallMetered(connected_ms=2))
            await until(lambda: "link.lost" in [entry["event"] for entry in logs])
        await valkey.start()
        await until(lambda: has_arrived(valkey.url, [1, 2, 3]))
        await journal.aclose()


async def test_a_shipper_without_journals_asks_nothing(
    valkey_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(event_shipper, "LOOK_SECONDS", 0.02)

    async def asked() -> int:
        async with Redis.from_url(valkey_url) as redis:
            statistics = await redis.info("commandstats")
        return int(statistics.get("cmdstat_get", {"calls": 0})["calls"])

    async with shipping(valkey_url, tmp_path) as (shipper, store):

        async def has_asked() -> bool:
            return await asked() > 0

        await until(has_asked)
        before = await asked()
        await asyncio.sleep(0.2)
        assert await asked() == before
        journal = await store.create(call_plan())
        shipper.add(journal)
        journal.append(RoomOpened())
        await until(lambda: has_arrived(valkey_url, [1]))


async def test_a_link_that_lost_its_tail_gets_everything_not_applied_again(
    valkey: ValkeyProcess, tmp_path: Path
):
    async with shipping(valkey.url, tmp_path) as (shipper, store):
        journal = await store.create(call_plan())
        shipper.add(journal)
        for position in range(5):
            journal.append(CallMetered(connected_ms=position))
        await until(lambda: has_arrived(valkey.url, [1, 2, 3, 4, 5]))
        await valkey.lose_everything()
        await valkey.start()
        await apply(valkey.url, journal, 3)
        await until(lambda: _ends_with(valkey.url, [4, 5]))
        await journal.aclose()


async def _ends_with(url: str, tail: list[int]) -> bool:
    return (await arrived(url))[-len(tail) :] == tail


async def test_a_journal_left_behind_goes_on_behind_what_was_applied(
    valkey_url: str, tmp_path: Path
):
    store = JournalStore(tmp_path, "w1")
    journal = await store.create(call_plan())
    for position in range(4):
        journal.append(CallMetered(connected_ms=position))
    await journal.aclose()
    await apply(valkey_url, journal, 2)
    store.close()
    async with shipping(valkey_url, tmp_path) as (shipper, store):
        async for reopened, _ in store.left_behind():
            shipper.add(reopened)
        await until(lambda: has_arrived(valkey_url, [3, 4]))


async def shard_holds(url: str, journal: Journal, expected: list[int]) -> bool:
    stream = redis_names.event_shard_of(journal.plan.call_id, 4)
    async with Redis.from_url(url, decode_responses=True) as redis:
        entries = listed_entries(await redis.xrange(stream))
    return [CallEvent.model_validate_json(each.document).seq for each in entries] == expected


async def test_when_shards_are_no_longer_announced_everything_not_applied_is_sent_again(
    valkey_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """A jobs process of the previous release, which reads only the stream of all calls, may have
    taken over."""
    monkeypatch.setattr(event_shipper, "LOOK_SECONDS", 0.05)
    async with (
        Redis.from_url(valkey_url) as redis,
        shipping(valkey_url, tmp_path) as (
            shipper,
            store,
        ),
    ):
        await redis.set(redis_names.ANNOUNCED_SHARDS, 4)
        journal = await store.create(call_plan())
        shipper.add(journal)
        for position in range(3):
            journal.append(CallMetered(connected_ms=position))
        await until(lambda: shard_holds(valkey_url, journal, [1, 2, 3]))
        await apply(valkey_url, journal, 1)
        await redis.delete(redis_names.ANNOUNCED_SHARDS)
        await until(lambda: has_arrived(valkey_url, [2, 3]))
        await journal.aclose()


async def test_while_too_much_waits_events_stay_on_disk_apart_from_what_is_waited_for(
    valkey_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(event_shipper, "LOOK_SECONDS", 0.05)
    async with (
        Redis.from_url(valkey_url) as redis,
        shipping(valkey_url, tmp_path, 2) as (
            shipper,
            store,
        ),
    ):
        for _ in range(2):
            await redis.xadd(redis_names.EVENT_STREAM, {"json": "{}"})
        journal = await store.create(call_plan())
        shipper.add(journal)
        for position in range(4):
            journal.append(CallMetered(connected_ms=position))
        await until(lambda: has_arrived_of_any(valkey_url, 3))
        await until(lambda: shipper.is_backed_up)
        looked = await times_looked(valkey_url)

        async def has_looked_twice_since() -> bool:
            return await times_looked(valkey_url) >= looked + 2

        await until(has_looked_twice_since)
        assert await has_arrived_of_any(valkey_url, 3), "the control plane has not applied it yet"
        assert journal.last_seq == 4, "no fact is dropped"
        await apply(valkey_url, journal, 1)
        await until(lambda: has_arrived_of_any(valkey_url, 4))
        await redis.delete(redis_names.EVENT_STREAM)
        await until(lambda: has_arrived(valkey_url, [3, 4]))
        assert not shipper.is_backed_up
        await journal.aclose()


async def has_arrived_of_any(url: str, count: int) -> bool:
    async with Redis.from_url(url) as redis:
        return bool(await redis.xlen(redis_names.EVENT_STREAM) == count)

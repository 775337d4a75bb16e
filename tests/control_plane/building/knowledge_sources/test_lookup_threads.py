from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Iterator
from threading import Event, Lock
from uuid import UUID, uuid4

import pytest

from control_plane.building.knowledge_sources.errors import KnowledgeShareUsedUp, KnowledgeTooSlow
from control_plane.building.knowledge_sources.lookup_threads import LookupThreads

WAIT_SECONDS = 60
ONE, OTHER = uuid4(), uuid4()


class Readings:
    """What is read until it may end, and how much of it at once."""

    def __init__(self) -> None:
        self.may_end = Event()
        self._lock = Lock()
        self._begun = asyncio.Queue[UUID]()
        self._loop = asyncio.get_running_loop()
        self._now = Counter[UUID]()
        self.most = Counter[UUID]()
        self.most_of_all = 0

    def of(self, tenant_id: UUID) -> Callable[[float], UUID]:
        def read(_until: float) -> UUID:
            with self._lock:
                self._now[tenant_id] += 1
                self.most |= self._now
                self.most_of_all = max(self.most_of_all, self._now.total())
            self._loop.call_soon_threadsafe(self._begun.put_nowait, tenant_id)
            assert self.may_end.wait(WAIT_SECONDS)
            with self._lock:
                self._now[tenant_id] -= 1
            return tenant_id

        return read

    async def begun(self, count: int) -> None:
        for _ in range(count):
            await self._begun.get()


@pytest.fixture
async def readings() -> Readings:
    return Readings()


@pytest.fixture
def threads() -> Iterator[LookupThreads]:
    threads = LookupThreads(at_once=3, at_once_of_tenant=2, most_of_tenant=5, seconds=WAIT_SECONDS)
    yield threads
    threads.close()


async def test_only_some_are_read_at_once_and_no_tenant_takes_all_threads(
    threads: LookupThreads, readings: Readings
) -> None:
    asked = [asyncio.create_task(threads.run(ONE, readings.of(ONE))) for _ in range(5)]
    await readings.begun(2)
    asked += [asyncio.create_task(threads.run(OTHER, readings.of(OTHER))) for _ in range(2)]
    await readings.begun(1)
    readings.may_end.set()
    assert await asyncio.gather(*asked) == [ONE] * 5 + [OTHER] * 2
    assert readings.most[ONE] == 2
    assert readings.most_of_all == 3


async def test_more_requests_of_one_tenant_are_refused_and_others_are_not(
    threads: LookupThreads, readings: Readings
) -> None:
    asked = [asyncio.create_task(threads.run(ONE, readings.of(ONE))) for _ in range(5)]
    await readings.begun(2)
    with pytest.raises(KnowledgeShareUsedUp) as refused:
        await threads.run(ONE, readings.of(ONE))
    assert refused.value.status == 429
    assert refused.value.headers == {"Retry-After": "1"}
    other = asyncio.create_task(threads.run(OTHER, readings.of(OTHER)))
    await readings.begun(1)
    readings.may_end.set()
    await asyncio.gather(other, *asked)
    assert await threads.run(ONE, readings.of(ONE)) == ONE


async def test_what_takes_too_long_is_503_and_keeps_its_thread_until_it_has_ended(
    readings: Readings,
) -> None:
    threads = LookupThreads(at_once=2, at_once_of_tenant=1, seconds=0.05)
    with pytest.raises(KnowledgeTooSlow) as refused:
        await threads.run(ONE, readings.of(ONE))
    assert refused.value.status == 503
    assert refused.value.headers == {"Retry-After": "2"}
    with pytest.raises(KnowledgeTooSlow):
        await threads.run(ONE, readings.of(ONE))
    readings.may_end.set()
    await readings.begun(1)
    assert readings.most[ONE] == 1
    threads.close()


async def test_what_nobody_waits_for_any_more_is_not_begun(readings: Readings) -> None:
    threads = LookupThreads(at_once=1, at_once_of_tenant=1, seconds=0.05)
    for tenant in (ONE, OTHER):
        with pytest.raises(KnowledgeTooSlow):
            await threads.run(tenant, readings.of(tenant))
    readings.may_end.set()
    await readings.begun(1)
    threads.close()
    assert set(readings.most) == {ONE}


async def test_what_is_read_knows_when_nobody_waits_any_more(threads: LookupThreads) -> None:
    until = await threads.run(ONE, lambda until: until)
    assert WAIT_SECONDS - 10 < until - time.monotonic() <= WAIT_SECONDS


async def test_what_fails_says_why_and_gives_its_thread_back(threads: LookupThreads) -> None:
    def read(_until: float) -> None:
        raise ConnectionResetError("away")

    for _ in range(7):
        with pytest.raises(ConnectionResetError, match="away"):
            await threads.run(ONE, read)

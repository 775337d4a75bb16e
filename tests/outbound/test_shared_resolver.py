"""One tenant's slow names do not take the look-ups of another."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from ipaddress import ip_address

import pytest

from outbound.resolver import IpAddress, SharedResolver

PUBLIC = (ip_address("93.184.216.34"),)
SOON_SECONDS = 0.2


class SlowNames:
    """Names that begin with ``slow`` are not answered until the end of the test."""

    def __init__(self) -> None:
        self.answered = threading.Event()
        self._lock = threading.Lock()
        self.asked = list[str]()

    def look_up(self, host: str) -> tuple[IpAddress, ...]:
        with self._lock:
            self.asked.append(host)
        if host.startswith("slow"):
            self.answered.wait(30)
        return PUBLIC


@pytest.fixture
def names() -> Iterator[SlowNames]:
    names = SlowNames()
    yield names
    names.answered.set()


def resolver_of(names: SlowNames, *, threads: int, per_tenant: int) -> SharedResolver:
    return SharedResolver(
        threads=threads,
        per_tenant=per_tenant,
        deadline_seconds=SOON_SECONDS,
        look_up=names.look_up,
    )


async def asked_slowly(shared: SharedResolver, tenant: str, count: int) -> list[object]:
    return await asyncio.gather(
        *(shared.of(tenant)(f"slow{number}.example") for number in range(count)),
        return_exceptions=True,
    )


async def test_a_tenant_keeps_only_its_share_of_the_threads_busy(names: SlowNames) -> None:
    shared = resolver_of(names, threads=4, per_tenant=3)
    outcomes = await asked_slowly(shared, "hostile", 30)
    assert {type(outcome) for outcome in outcomes} == {TimeoutError}
    assert len(names.asked) == 3, "no more, although their requests have given up"
    assert await shared.of("other")("quick.example") == PUBLIC
    shared.close()


async def test_many_tenants_with_slow_names_do_not_stop_another(names: SlowNames) -> None:
    shared = SharedResolver(deadline_seconds=SOON_SECONDS, look_up=names.look_up)
    await asyncio.gather(*(asked_slowly(shared, f"hostile-{number}", 10) for number in range(30)))
    assert await shared.of("other")("quick.example") == PUBLIC
    shared.close()


async def test_a_share_is_free_again_when_its_look_ups_have_really_ended(names: SlowNames) -> None:
    shared = resolver_of(names, threads=4, per_tenant=2)
    await asked_slowly(shared, "hostile", 2)
    with pytest.raises(TimeoutError):
        await shared.of("hostile")("quick.example")
    names.answered.set()
    assert await shared.of("hostile")("quick.example") == PUBLIC
    shared.close()


async def test_all_tenants_together_have_a_limit(names: SlowNames) -> None:
    shared = resolver_of(names, threads=4, per_tenant=2)
    for tenant in ("one", "two", "three"):
        await asked_slowly(shared, tenant, 5)
    assert len(names.asked) == 4
    shared.close()


async def test_nothing_is_kept_of_a_tenant_without_look_ups(names: SlowNames) -> None:
    shared = resolver_of(names, threads=4, per_tenant=2)
    for number in range(50):
        await shared.of(f"tenant-{number}")("quick.example")
    await asyncio.sleep(0)
    assert len(shared._shares) <= 1
    shared.close()

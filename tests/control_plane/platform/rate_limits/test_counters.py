"""Counting in Valkey: shared by all processes, and exact under concurrency."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest
import redis

from control_plane.platform.rate_limits.counters import RequestCounters, Verdict
from control_plane.platform.rate_limits.quota import WINDOW_SECONDS, Policy

KEY, ADDRESS = Policy("key", 5), Policy("address", 8)


@pytest.fixture
async def counters(valkey_url: str) -> AsyncIterator[RequestCounters]:
    counters = RequestCounters(valkey_url, deadline_seconds=10)
    yield counters
    await counters.aclose()


async def test_a_limit_admits_as_many_as_it_says(counters: RequestCounters) -> None:
    verdicts = [await counters.count_request({KEY: "a"}) for _ in range(7)]
    assert [verdict.refused_by is None for verdict in verdicts] == [True] * 5 + [False] * 2
    assert [verdict.quotas[0].remaining for verdict in verdicts] == [4, 3, 2, 1, 0, 0, 0]
    assert (await counters.count_request({KEY: "b"})).refused_by is None


async def test_what_a_key_is_refused_does_not_count_for_its_address(
    counters: RequestCounters,
) -> None:
    for _ in range(6):
        await counters.count_request({KEY: "a", ADDRESS: "home"})
    verdict = await counters.count_request({KEY: "b", ADDRESS: "home"})
    assert [quota.used for quota in verdict.quotas] == [1, 6]


async def test_the_address_limits_many_keys(counters: RequestCounters) -> None:
    verdicts = [
        await counters.count_request({KEY: str(number), ADDRESS: "home"}) for number in range(10)
    ]
    assert sum(verdict.refused_by is None for verdict in verdicts) == ADDRESS.limit


async def test_requests_at_the_same_time_do_not_exceed_the_limit(
    counters: RequestCounters, valkey_url: str
) -> None:
    other_process = RequestCounters(valkey_url, deadline_seconds=10)
    verdicts: list[Verdict] = []
    for _ in range(10):
        verdicts += await asyncio.gather(
            counters.count_request({KEY: "a"}), other_process.count_request({KEY: "a"})
        )
    await other_process.aclose()
    assert sum(verdict.refused_by is None for verdict in verdicts) == KEY.limit


async def test_nothing_is_kept_longer_than_two_windows(
    counters: RequestCounters, valkey_url: str
) -> None:
    await counters.count_request({KEY: "a", ADDRESS: "home"})
    with redis.Redis.from_url(valkey_url) as client:
        kept_seconds = [client.ttl(name) for name in client.scan_iter()]
    assert kept_seconds
    assert all(0 < seconds <= 2 * WINDOW_SECONDS for seconds in kept_seconds)


@pytest.mark.parametrize("url", ["redis://valkey", "rediss://valkey", "unix:///run/valkey.sock"])
async def test_any_address_that_the_link_takes_will_do(url: str) -> None:
    await RequestCounters(url, deadline_seconds=1).aclose()

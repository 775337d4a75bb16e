"""Valkey is away or hangs: requests pass, hardly any of them waits, and the limits come back."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Mapping

import httpx2
import pytest
from starlette.responses import Response
from structlog.testing import capture_logs

from control_plane.identity.request_limits.middleware import RateLimitMiddleware
from control_plane.platform.rate_limits.breaker import RETRY_SECONDS, Breaker
from control_plane.platform.rate_limits.counters import (
    CountersUnavailable,
    RequestCounters,
    Verdict,
)
from control_plane.platform.rate_limits.quota import Policy
from tests.control_plane.identity.request_limits.outages import interrupt, recover
from tests.runtime.valkey_process import ValkeyProcess

POLICY = Policy("address", 1_000)
DEADLINE_SECONDS = 0.3
OUTAGES = pytest.mark.parametrize("outage", ["killed", "hanging"])


class CountedTries(RequestCounters):
    """Real counters, and how often they were asked."""

    tries = 0

    async def count_request(self, clients: Mapping[Policy, str]) -> Verdict:
        self.tries += 1
        return await super().count_request(clients)


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
async def counters(valkey: ValkeyProcess) -> AsyncIterator[CountedTries]:
    counters = CountedTries(valkey.url, deadline_seconds=DEADLINE_SECONDS)
    # Valkey compiles the script and the client connects, which an outage must not be blamed for.
    await _until_answered(counters)
    counters.tries = 0
    yield counters
    await counters.aclose()


async def _until_answered(counters: RequestCounters) -> None:
    while True:
        try:
            await counters.count_request({POLICY: "warm-up"})
        except CountersUnavailable:
            continue
        return


@OUTAGES
async def test_counting_gives_up_soon(
    counters: CountedTries, valkey: ValkeyProcess, outage: str
) -> None:
    await interrupt(valkey, outage)
    for _ in range(2):
        started_at = time.monotonic()
        with pytest.raises(CountersUnavailable):
            await counters.count_request({POLICY: "a"})
        assert time.monotonic() - started_at < 10 * DEADLINE_SECONDS


@OUTAGES
async def test_one_request_tries_and_the_others_pass_until_valkey_is_back(
    counters: CountedTries, valkey: ValkeyProcess, outage: str
) -> None:
    clock = Clock()
    limited = RateLimitMiddleware(
        Response("served"),
        counters=counters,
        per_key=0,
        per_address=POLICY.limit,
        breaker=Breaker(clock),
    )
    transport = httpx2.ASGITransport(app=limited)
    with capture_logs() as logs:
        async with httpx2.AsyncClient(
            transport=transport, base_url="http://switchboard.test"
        ) as http:
            await interrupt(valkey, outage)
            answers = [await http.get("/v1/agents") for _ in range(20)]
            assert counters.tries == 1
            clock.now += RETRY_SECONDS
            answers += await asyncio.gather(*(http.get("/v1/agents") for _ in range(20)))
            assert counters.tries == 2
            assert {answer.text for answer in answers} == {"served"}
            assert not any("ratelimit" in answer.headers for answer in answers)

            await recover(valkey, outage)
            await _until_answered(counters)
            clock.now += RETRY_SECONDS
            for _ in range(2):
                assert "ratelimit" in (await http.get("/v1/agents")).headers
    assert [log["event"] for log in logs] == ["rate_limits_suspended", "rate_limits_resumed"]

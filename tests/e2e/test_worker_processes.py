"""A process of the media worker dies under calls; callers of the others hear nothing of it."""

from __future__ import annotations

import asyncio
import math
import os
import signal
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
import pytest
from redis.asyncio import Redis

from contracts import redis_names
from switchboard.state import read_secrets
from switchboard_client import AsyncSwitchboard
from switchboard_client.webrtc.leg import CallLeg
from tests.e2e.conftest import LiveSwitchboard, running_switchboard
from tests.e2e.polling import ended_call
from tests.e2e.running_call import running_call, segments_said_by
from tests.e2e.test_limits import PATIENT, published_agent
from tests.stand_ins.silence import Silence

pytestmark = [pytest.mark.e2e, pytest.mark.latency, pytest.mark.timeout(180)]

CALLS = 8
ENDED_WITHIN_SECONDS = 20.0
LONGEST_GAP_P99_MS = 60
CALM_SECONDS = 5.0
SLOWER_AT_MOST = 2.0
"""On a machine on which the callers and the workers, which share it, have longer gaps anyway."""


@dataclass
class Listener:
    call_id: str
    worker_id: str
    received_at: list[float] = field(default_factory=list)

    def gaps_ms(self, since: float, until: float = math.inf) -> list[float]:
        times = [each for each in self.received_at if since <= each < until]
        return [(after - before) * 1000 for before, after in pairwise(times)]


@asynccontextmanager
async def listeners(
    system: LiveSwitchboard, api: AsyncSwitchboard, count: int = CALLS
) -> AsyncIterator[list[Listener]]:
    """Calls whose callers say nothing and stay."""
    agent_id = await published_agent(api, **PATIENT)
    secrets = read_secrets(system.data_dir)
    assert secrets is not None
    async with (
        Redis.from_url(str(secrets.redis_url)) as redis,
        AsyncExitStack() as stack,
        asyncio.TaskGroup() as group,
    ):
        found: list[Listener] = []
        listening = []
        for _ in range(count):
            created = await api.calls.create_webrtc(agent_id, "listener")
            access = created.participants[0].access
            leg = await stack.enter_async_context(CallLeg(Silence()))
            await leg.connect(access.url, access.token)
            lease = await redis.get(redis_names.call_lease(created.id))
            found.append(Listener(str(created.id), lease.decode()))
            listening.append(group.create_task(_listen(leg, found[-1])))
        yield found
        for task in listening:
            task.cancel()


async def _listen(leg: CallLeg, listener: Listener) -> None:
    async for frame in leg.listen():
        listener.received_at.append(frame.received_at)


@pytest.fixture(scope="module")
def two_workers() -> Iterator[LiveSwitchboard]:
    with running_switchboard(
        SWITCHBOARD_WORKER_PROCESSES="2",
        SWITCHBOARD_LEASE_SECONDS=str(redis_names.CLAIM_TTL_SECONDS),
    ) as system:
        yield system


async def test_a_worker_that_is_killed_takes_only_its_own_calls_with_it(
    two_workers: LiveSwitchboard,
) -> None:
    async with two_workers.api() as api, listeners(two_workers, api) as calls:
        workers = sorted({each.worker_id for each in calls})
        assert len(workers) == 2, "they share the calls"
        doomed = [each for each in calls if each.worker_id == workers[0]]
        others = [each for each in calls if each.worker_id == workers[1]]
        name = f"worker-{workers[0].rpartition('-')[2]}"
        calm_since = time.monotonic()
        await asyncio.sleep(CALM_SECONDS)
        killed_pid, killed_at = two_workers.pid(name), time.monotonic()
        os.kill(killed_pid, signal.SIGKILL)

        for each in doomed:
            record = await ended_call(api, each.call_id, ENDED_WITHIN_SECONDS)
            assert (record["status"], record["end_reason"]) == ("failed", "worker_error")
        replaced = two_workers.pid(name)
        assert replaced != killed_pid
        await assert_they_go_on(api, others, calm_since, killed_at)


async def test_calls_go_on_when_the_models_are_killed(two_workers: LiveSwitchboard) -> None:
    async with (
        two_workers.api() as api,
        listeners(two_workers, api, CALLS - 1) as others,
        running_call(two_workers, api) as call,
    ):
        calm_since = time.monotonic()
        await call.after_turns(1)
        await asyncio.sleep(CALM_SECONDS)
        killed_pid, killed_at = two_workers.pid("models"), time.monotonic()
        os.kill(killed_pid, signal.SIGKILL)
        await call.after_turns(3)
        assert two_workers.pid("models") != killed_pid
        call.leave.set()
        summary = await call.finished()
        record = await ended_call(api, summary.call_id)
        transcript = await api.calls.transcript(summary.call_id)
        await assert_they_go_on(api, others, calm_since, killed_at)
    assert record["status"] == "completed"
    assert "appointment" in " ".join(segments_said_by(transcript, "user"))


async def assert_they_go_on(
    api: AsyncSwitchboard, calls: list[Listener], calm_since: float, killed_at: float
) -> None:
    """Nobody hears that something was killed; then they are ended."""
    for each in calls:
        record = await api.request("GET", f"/v1/calls/{each.call_id}")
        assert record["ended_at"] is None
    before_ms = [gap for each in calls for gap in each.gaps_ms(calm_since, killed_at)]
    after_ms = [gap for each in calls for gap in each.gaps_ms(killed_at)]
    slowest_ms = SLOWER_AT_MOST * np.percentile(before_ms, 99)
    assert np.percentile(after_ms, 99) <= max(LONGEST_GAP_P99_MS, slowest_ms)
    for each in calls:
        await api.request("POST", f"/v1/calls/{each.call_id}/end")
        await ended_call(api, each.call_id)

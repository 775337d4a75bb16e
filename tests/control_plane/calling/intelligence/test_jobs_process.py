"""The whole jobs process runs the jobs that the end of a call adds."""

from __future__ import annotations

import asyncio

from control_plane.jobs import run_jobs
from control_plane.platform.settings import ControlPlaneSettings
from tests.control_plane.calling.intelligence.answering import SUMMARY
from tests.control_plane.calling.intelligence.conversation import say
from tests.control_plane.conftest import TenantClient
from tests.control_plane.conversation import call_of, claimed_call
from tests.control_plane.fake_worker import FakeWorker

PATIENCE_SECONDS = 60.0


async def test_a_call_that_ends_is_analysed(
    tenant: TenantClient, worker: FakeWorker, with_openai: ControlPlaneSettings
) -> None:
    stop = asyncio.Event()
    jobs = asyncio.create_task(run_jobs(with_openai, stop))
    plan = await claimed_call(tenant, worker)
    await worker.start(plan)
    await say(worker, plan)
    await worker.end(plan, 12_000)
    async with asyncio.timeout(PATIENCE_SECONDS):
        call = await call_of(tenant, plan)
        while call["intelligence_status"] == "pending":
            await asyncio.sleep(0.1)
            call = await call_of(tenant, plan)
    assert call["intelligence"]["summary"] == SUMMARY["summary"]
    stop.set()
    await jobs

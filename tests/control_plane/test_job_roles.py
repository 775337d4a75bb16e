"""``switchboard jobs --only``: each kind of work can have processes of its own."""

from __future__ import annotations

import asyncio
from functools import partial

import pytest
from redis.asyncio import Redis

from contracts import redis_names
from control_plane import jobs
from control_plane.jobs import JOBS_AT_ONCE, QUEUES, run_jobs
from control_plane.platform.job_roles import ALL_ROLES, JobRole
from control_plane.platform.link.job_beats import JOB_BEATS, keep_beating
from control_plane.platform.settings import ControlPlaneSettings
from tests.control_plane.linked import redis, settings
from tests.runtime.until import until

__all__ = ["redis", "settings"]


def test_every_queue_belongs_to_a_role() -> None:
    assert set(QUEUES.values()) == set(JOBS_AT_ONCE)


@pytest.mark.parametrize(
    ("roles", "loops"),
    [
        ({JobRole.EVENTS}, ["consume_events"]),
        ({JobRole.REAPER}, ["Reaper.run"]),
        ({JobRole.DISPATCH}, ["keep_redispatching", "keep_advancing"]),
        (
            {JobRole.DIALING},
            [
                "DialingScheduler.run",
                "ReportConsumer.run",
                "InboundConsumer.run",
                "keep_reconciling",
            ],
        ),
        ({JobRole.POST_CALL}, ["_run_queues"]),
        ({JobRole.RECORDINGS}, ["_run_queues"]),
        ({JobRole.KNOWLEDGE}, ["_run_queues"]),
        ({JobRole.NOTIFYING}, ["OutboxReader.run", "DeliveryRunner.run"]),
        ({JobRole.HOUSEKEEPING}, ["keep_folding", "keep_measuring", "_run_queues"]),
        ({JobRole.EVENTS, JobRole.REAPER}, ["consume_events", "Reaper.run"]),
    ],
)
async def test_a_process_does_the_work_of_its_roles_and_nothing_else(
    settings: ControlPlaneSettings, roles: set[JobRole], loops: list[str]
) -> None:
    resources = jobs.Resources(settings)
    coroutines = jobs.loops_of(roles, settings, resources)
    try:
        assert [loop.__qualname__ for loop in coroutines] == loops
    finally:
        for loop in coroutines:
            loop.close()
        await resources.aclose()


async def test_all_work_is_done_by_some_role(settings: ControlPlaneSettings) -> None:
    resources = jobs.Resources(settings)
    coroutines = jobs.loops_of(ALL_ROLES, settings, resources)
    try:
        assert len(coroutines) == 13
    finally:
        for loop in coroutines:
            loop.close()
        await resources.aclose()


async def test_a_process_that_lasts_shows_its_roles(
    settings: ControlPlaneSettings, redis: Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jobs, "keep_beating", partial(keep_beating, steady_seconds=0.0))
    stop = asyncio.Event()
    running = asyncio.create_task(run_jobs(settings, stop, roles={JobRole.REAPER}))
    await until(lambda: redis.zscore(JOB_BEATS, JobRole.REAPER))
    stop.set()
    await running
    assert await redis.zcard(JOB_BEATS) == 1


async def test_a_process_without_the_role_consumes_no_events(
    settings: ControlPlaneSettings, redis: Redis
) -> None:
    stop = asyncio.Event()
    running = asyncio.create_task(run_jobs(settings, stop, roles={JobRole.REAPER}))
    await asyncio.sleep(0.2)
    stop.set()
    await running
    assert await redis.zcard(redis_names.EVENT_CONSUMERS) == 0

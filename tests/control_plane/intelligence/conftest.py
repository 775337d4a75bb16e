from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable

import pytest

from control_plane.database import Database
from control_plane.job_queue import job_queue, job_resources, worker_connector
from control_plane.settings import ControlPlaneSettings
from tests.control_plane.linked import consumer, redis, settings, worker

__all__ = ["consumer", "redis", "settings", "worker"]

RunJobs = Callable[[], Awaitable[None]]


@pytest.fixture
async def run_jobs(
    postgres_url: str, database: Database, settings: ControlPlaneSettings
) -> AsyncIterator[RunJobs]:
    """Runs every job that is due."""

    async def run_until_empty() -> None:
        await job_queue.run_worker_async(
            wait=False,
            concurrency=4,
            install_signal_handlers=False,
            additional_context=job_resources(database, settings),
        )

    with job_queue.replace_connector(worker_connector(postgres_url)):
        async with job_queue.open_async():
            yield run_until_empty

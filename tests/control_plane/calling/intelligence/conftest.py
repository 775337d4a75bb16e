from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable

import pytest
from sqlalchemy import text

from control_plane.platform.database import Database
from control_plane.platform.job_queue import job_queue, job_resources, worker_connector
from control_plane.platform.settings import ControlPlaneSettings, PostCallSettings
from tests.control_plane.calling.intelligence.answering import good_answer
from tests.control_plane.linked import consumer, redis, settings, worker
from tests.stand_ins.openai_wire import OpenAIWire, says

__all__ = ["consumer", "redis", "settings", "worker"]

KEY = "sk-of-the-platform"
RunJobs = Callable[[], Awaitable[None]]


@pytest.fixture
async def run_jobs(
    postgres_url: str, database: Database, settings: ControlPlaneSettings
) -> AsyncIterator[RunJobs]:
    """Runs every job that is due."""

    async def run_until_empty() -> None:
        await _run(database, settings)

    with job_queue.replace_connector(worker_connector(postgres_url)):
        async with job_queue.open_async():
            yield run_until_empty


@pytest.fixture
async def wire() -> AsyncIterator[OpenAIWire]:
    """A stand-in for OpenAI that answers every request well."""
    async with OpenAIWire(answer_to=lambda asked: says(good_answer(asked))).serving() as wire:
        yield wire


@pytest.fixture
def with_openai(settings: ControlPlaneSettings, wire: OpenAIWire) -> ControlPlaneSettings:
    """An installation whose calls are analysed by OpenAI."""
    return settings.model_copy(
        update={
            "post_call": PostCallSettings(
                provider="openai",
                models={"openai": "gpt-of-the-tests", "google": "gemini-of-the-tests"},
                api_keys={"openai": KEY},
                timeout_seconds=30,
            ),
            "provider_base_urls": {"openai": wire.base_url},
        }
    )


@pytest.fixture
async def run_jobs_with_openai(
    postgres_url: str, database: Database, with_openai: ControlPlaneSettings
) -> AsyncIterator[RunJobs]:
    """Runs every job, including those that have to wait."""

    async def run_until_empty() -> None:
        await make_jobs_due(database)
        await _run(database, with_openai)

    with job_queue.replace_connector(worker_connector(postgres_url)):
        async with job_queue.open_async():
            yield run_until_empty


async def make_jobs_due(database: Database) -> None:
    """Ends the waiting time of every job."""
    async with database.system_session() as session:
        await session.execute(text("UPDATE procrastinate_jobs SET scheduled_at = NULL"))


async def _run(database: Database, settings: ControlPlaneSettings) -> None:
    await job_queue.run_worker_async(
        wait=False,
        concurrency=4,
        install_signal_handlers=False,
        additional_context=job_resources(database, settings),
    )

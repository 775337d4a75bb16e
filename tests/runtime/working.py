"""A worker in a task of a test, with rooms and conversations that do what the test tells them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from runtime.settings import WorkerSettings
from runtime.worker import Worker
from tests.runtime.fake_media import FakeMedia


class Running:
    """A worker in a task of this test."""

    def __init__(self, worker: Worker, media: FakeMedia) -> None:
        self.media = media
        self.stop = asyncio.Event()
        self.task = asyncio.create_task(worker.run(self.stop))


@asynccontextmanager
async def working(
    url: str,
    data_dir: Path,
    *,
    worker_id: str = "w1",
    slots: int = 2,
    drain_seconds: float = 0.0,
    workers_dir: Path | None = None,
    journal_limit_mb: int = 1_000,
) -> AsyncIterator[Running]:
    media = FakeMedia()

    async def warm_up() -> FakeMedia:
        return media

    settings = WorkerSettings(
        worker_id=worker_id,
        redis_url=url,
        data_dir=data_dir,
        workers_dir=workers_dir,
        slots=slots,
        drain_timeout_seconds=drain_seconds,
        journal_limit_mb=journal_limit_mb,
    )
    running = Running(Worker(settings, warm_up), media)
    try:
        yield running
    finally:
        running.stop.set()
        await running.task

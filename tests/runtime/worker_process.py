"""A worker in a process of its own, to be killed: ``python -m … REDIS_URL DATA_DIR``."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from runtime.settings import WorkerSettings
from runtime.worker import Worker
from tests.runtime.fake_media import FakeMedia


async def main(redis_url: str, data_dir: str) -> None:
    settings = WorkerSettings(worker_id="w1", redis_url=redis_url, data_dir=Path(data_dir))

    async def warm_up() -> FakeMedia:
        return FakeMedia()

    await Worker(settings, warm_up).run(asyncio.Event())


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))

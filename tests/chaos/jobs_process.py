"""The jobs processes, killed and restarted again and again."""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import psutil

from tests.own_api import OPERATOR_TOKEN, OwnApi

LIVES_SECONDS = 60.0
_SECRET_KEY = "a-secret-of-at-least-thirty-two-bytes"


@asynccontextmanager
async def mortal_jobs(api: OwnApi) -> AsyncIterator[None]:
    """Run for the length of the ``async with`` block; every ``LIVES_SECONDS`` they are killed."""
    with tempfile.TemporaryDirectory(prefix="switchboard-jobs-") as directory:
        environment = os.environ | {
            "SWITCHBOARD_DATA_DIR": directory,
            "SWITCHBOARD_APP_DATABASE_URL": api.app_url,
            "SWITCHBOARD_SYSTEM_DATABASE_URL": api.system_url,
            "SWITCHBOARD_REDIS_URL": api.redis_url,
            "SWITCHBOARD_SECRET_KEY": _SECRET_KEY,
            "SWITCHBOARD_OPERATOR_TOKEN": OPERATOR_TOKEN,
        }
        supervising = asyncio.create_task(_supervise(environment))
        try:
            yield
        finally:
            supervising.cancel()
            await asyncio.wait([supervising])


async def _supervise(environment: dict[str, str]) -> None:
    while True:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "switchboard", "jobs"),
            env=environment,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.DEVNULL,
        )
        try:
            async with asyncio.timeout(LIVES_SECONDS):
                await process.wait()
                raise RuntimeError(f"the jobs process ended by itself: {process.returncode}")
        except TimeoutError:
            pass
        finally:
            if process.returncode is None:
                # The host last, which would start them again; without it they would end in peace.
                host = psutil.Process(process.pid)
                host.suspend()
                for each in (*host.children(), host):
                    each.kill()
                await process.wait()

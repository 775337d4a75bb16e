from __future__ import annotations

import asyncio
import signal
import time

import uvicorn
from fastapi import FastAPI

from switchboard.processes.calm_server import CalmServer


async def test_a_signal_ends_it_at_once() -> None:
    config = uvicorn.Config(FastAPI(), port=0, log_config=None, lifespan="off")
    config.load()
    server = CalmServer(config)
    server.lifespan = config.lifespan_class(config)
    await server.startup()
    loop = asyncio.create_task(server.main_loop())
    await asyncio.sleep(0)
    told_at = time.monotonic()
    server.handle_exit(signal.SIGTERM, None)
    await loop
    assert time.monotonic() - told_at < 0.5
    await server.shutdown()

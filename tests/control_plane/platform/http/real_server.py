"""An application behind uvicorn on a free port of the loopback."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import uvicorn
from fastapi import FastAPI

from control_plane.platform.http.refusals import problem_answer
from listeners.connection_limits import limited_protocol
from listeners.connection_room import ConnectionRoom
from tests.loopback_listener import loopback_listener


@asynccontextmanager
async def served(
    app: FastAPI, protocol: type[asyncio.Protocol] | None = None, keep_alive_seconds: int = 5
) -> AsyncIterator[str]:
    """The address of the application."""
    listener = loopback_listener()
    server = uvicorn.Server(
        uvicorn.Config(
            app,
            http=protocol or limited_protocol(ConnectionRoom(1_000), problem_answer),
            timeout_keep_alive=keep_alive_seconds,
            ws="none",
            log_level="warning",
            lifespan="off",
        )
    )
    task = asyncio.create_task(server.serve(sockets=[listener]))
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        server.should_exit = True
        await task

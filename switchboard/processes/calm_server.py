"""uvicorn's server without its ten wake-ups a second, and with a long queue of connections."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from types import FrameType

import uvicorn

from listeners import accept_queue

_TICK_SECONDS = 1.0
"""The header ``Date`` has seconds."""


class CalmServer(uvicorn.Server):
    """uvicorn looks ten times a second whether a signal came. Here the signal wakes the loop."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self._told = asyncio.Event()
        self._loop: asyncio.AbstractEventLoop | None = None

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            accept_queue.lengthen(self.servers)

    async def main_loop(self) -> None:
        self._loop = asyncio.get_running_loop()
        # uvicorn's own loop counts tenths of a second. The first of ten renews the header.
        while not await self.on_tick(0):
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_TICK_SECONDS):
                    await self._told.wait()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        super().handle_exit(sig, frame)
        if self._loop is not None:
            # Only this wakes a loop that waits for its selector.
            self._loop.call_soon_threadsafe(self._told.set)

"""What a language model's stream brings, whether or not somebody waits for it."""

from __future__ import annotations

import asyncio
from collections import deque

from livekit.agents import llm

_STEPS = 12
"""Of the loop, from the socket through the SDK, the plugin and its stream."""


class ArrivingChunks:
    """The engine's stream gives nothing more once a wait for it was cancelled. So one task reads it
    all the time, and only the wait for that task is cancelled."""

    def __init__(self, stream: llm.LLMStream) -> None:
        self._stream = stream
        self._arrived: deque[llm.ChatChunk] = deque()
        self._waiting: asyncio.Future[None] | None = None
        self._reading = asyncio.create_task(self._read(), name="llm-chunks")
        self._reading.add_done_callback(lambda _: self._wake())

    async def next(self) -> llm.ChatChunk | None:
        """The next chunk; ``None`` after the last one. Raises what the stream has raised."""
        while not self._arrived:
            if self._reading.done():
                return self._reading.result()
            self._waiting = asyncio.get_running_loop().create_future()
            await self._waiting
        return self._arrived.popleft()

    async def rest(self) -> list[llm.ChatChunk]:
        """All that has reached this machine by now. Waits for none that is still on its way."""
        for _ in range(_STEPS):
            if self._reading.done():
                break
            await asyncio.sleep(0)
        rest = list(self._arrived)
        self._arrived.clear()
        return rest

    def close(self) -> None:
        """Before the stream is closed."""
        self._reading.cancel()
        if self._reading.done() and not self._reading.cancelled():
            # Nobody may have asked for it, about which asyncio would complain.
            self._reading.exception()

    async def _read(self) -> None:
        async for chunk in self._stream:
            self._arrived.append(chunk)
            self._wake()

    def _wake(self) -> None:
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_result(None)

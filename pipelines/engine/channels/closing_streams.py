"""Closes streams of the engine's plugins without waiting for those that hang."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import structlog

_MOST_SECONDS = 2.0

logger = structlog.get_logger(__name__)


class ClosingStreams:
    """Of one channel of a call. Await ``aclose`` before the models are closed."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[None]] = set()

    def close(self, aclose: Callable[[], Awaitable[None]]) -> None:
        """Await ``aclose`` in the background."""
        task = asyncio.create_task(self._close(aclose), name="closing-stream")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def aclose(self) -> None:
        """Wait for them for a short time, then leave them."""
        if not self._tasks:
            return
        _, left = await asyncio.wait(self._tasks, timeout=_MOST_SECONDS)
        for task in left:
            logger.warning("stream.not_closed")
            task.cancel()

    async def _close(self, aclose: Callable[[], Awaitable[None]]) -> None:
        try:
            await aclose()
        except Exception as error:  # noqa: BLE001 - its request has failed already
            logger.debug("stream.closed_with_error", error=repr(error))

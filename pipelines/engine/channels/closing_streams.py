"""Closes streams whose answer nobody needs any more, and models that have hung."""

from __future__ import annotations

import asyncio
from typing import Any

import structlog

from pipelines.engine.channels.closable import Closable

logger = structlog.get_logger(__name__)

CLOSE_SECONDS = 5.0
"""After which what does not close is left alone."""
PATIENCE_SECONDS = 0.1


class ClosingStreams:
    """Those of one call. A stream that hangs while it is closed keeps nobody waiting."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[None]] = set()

    def close(self, stream: Closable) -> asyncio.Task[Any]:
        """Begin to close ``stream``. The task raises nothing."""
        task = asyncio.get_running_loop().create_task(_close(stream))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def closed(self, stream: Closable) -> None:
        """Close it, and wait as long as that usually takes."""
        await asyncio.wait({self.close(stream)}, timeout=PATIENCE_SECONDS)

    async def aclose(self) -> None:
        """Wait as long for those that are still being closed, and leave the others."""
        if self._tasks:
            await asyncio.wait(set(self._tasks), timeout=PATIENCE_SECONDS)
        for task in self._tasks:
            task.cancel()


async def _close(stream: Closable) -> None:
    try:
        async with asyncio.timeout(CLOSE_SECONDS):
            await stream.aclose()
    except TimeoutError:
        logger.warning("channel.stream_not_closed")
    except Exception as error:  # noqa: BLE001 - why it failed was told when it did
        logger.debug("channel.stream_closed_with_error", error=repr(error))

"""Recognisers that nobody listens to any more, while they close in the background."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import Protocol

CLOSING_SECONDS = 0.5
"""How long the end of a call waits for recognisers that say goodbye."""


class Leaving(Protocol):
    def aclose(self) -> Awaitable[None]:
        """Cancelled, it closes by force."""


class Farewells:
    """Those of one stream. They have as long as they need, until the stream ends."""

    def __init__(self) -> None:
        self._closing: set[asyncio.Task[None]] = set()

    def begin(self, recogniser: Leaving) -> None:
        task = asyncio.create_task(_close(recogniser))
        self._closing.add(task)
        task.add_done_callback(self._closing.discard)

    async def aclose(self) -> None:
        """Wait shortly, then close by force those that are late."""
        if not self._closing:
            return
        _, late = await asyncio.wait(set(self._closing), timeout=CLOSING_SECONDS)
        for task in late:
            task.cancel()
        await asyncio.gather(*late, return_exceptions=True)


async def _close(recogniser: Leaving) -> None:
    await recogniser.aclose()

"""Waiting for what other processes and tasks do in their own time."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

POLL_SECONDS = 0.02


async def until(
    condition: Callable[[], object | Awaitable[object]], timeout_seconds: float = 15.0
) -> None:
    """Return once ``condition`` holds. Raises ``TimeoutError``."""
    async with asyncio.timeout(timeout_seconds):
        while True:
            outcome = condition()
            if await outcome if isinstance(outcome, Awaitable) else outcome:
                return
            await asyncio.sleep(POLL_SECONDS)

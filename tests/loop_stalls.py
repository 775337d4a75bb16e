"""How long an event loop is kept from its other work."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass

_LOOK_EVERY_SECONDS = 0.002


@dataclass
class Stalls:
    longest_ms: float = 0.0
    """Of the loop's own work between two of its turns; what other processes take does not count."""


@contextlib.asynccontextmanager
async def watched_loop() -> AsyncIterator[Stalls]:
    stalls = Stalls()

    async def watch() -> None:
        while True:
            worked_until = time.thread_time()
            await asyncio.sleep(_LOOK_EVERY_SECONDS)
            worked_ms = (time.thread_time() - worked_until) * 1000
            stalls.longest_ms = max(stalls.longest_ms, worked_ms)

    # As in a worker, the garbage collector need not look at what is loaded.
    gc.collect()
    gc.freeze()
    watching = asyncio.create_task(watch())
    # A stall may be the first thing that happens.
    await asyncio.sleep(0)
    try:
        yield stalls
        await asyncio.sleep(2 * _LOOK_EVERY_SECONDS)
    finally:
        watching.cancel()
        gc.unfreeze()

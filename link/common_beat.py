"""Pauses that end together.

A process that looks up for one loop, and a moment later for the next one, pays each time for the
processor's caches, which others have used meanwhile. That is most of what an idle process costs.
"""

from __future__ import annotations

import asyncio


async def until_beat(interval_seconds: float) -> None:
    """Sleep to the next multiple of ``interval_seconds`` on the event loop's clock: at most for
    that long, and to the same moment as other loops of this process."""
    await asyncio.sleep(seconds_to_beat(interval_seconds, asyncio.get_running_loop().time()))


def seconds_to_beat(interval_seconds: float, now_seconds: float) -> float:
    return interval_seconds - now_seconds % interval_seconds

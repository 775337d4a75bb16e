"""Waiting for a Redis that is just being started again, where nobody would ask a second time."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from link.connection import LINK_ERRORS

PAUSES_SECONDS = (0.2, 0.5, 1.0, 1.5)
"""Between the tries."""
_Answer = TypeVar("_Answer")


async def patiently(command: Callable[[], Awaitable[_Answer]]) -> _Answer:
    """
    Raises:
        RedisError, OSError: Redis was away all the time.
    """
    for pause_seconds in PAUSES_SECONDS:
        try:
            return await command()
        except LINK_ERRORS:
            await asyncio.sleep(pause_seconds)
    return await command()

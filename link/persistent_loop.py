"""A loop that outlives every outage of Redis."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import structlog

from link.connection import LINK_ERRORS

FIRST_PAUSE_SECONDS = 0.1
LONGEST_PAUSE_SECONDS = 2.0

_log = structlog.get_logger(__name__)


async def run_persistently(
    loop: str,
    attempt: Callable[[], Awaitable[None]],
    *,
    first_pause_seconds: float = FIRST_PAUSE_SECONDS,
    longest_pause_seconds: float = LONGEST_PAUSE_SECONDS,
) -> None:
    """Await ``attempt`` again and again until cancelled.

    After one of ``LINK_ERRORS`` it pauses first. The pause doubles with each failure in a row, up
    to ``longest_pause_seconds``. Other errors are raised.

    Args:
        loop: the name in the log events ``link.lost`` and ``link.restored``, of which there is one
            each for an outage.
    """
    pause_seconds = first_pause_seconds
    is_lost = False
    while True:
        try:
            await attempt()
        except LINK_ERRORS as error:
            if not is_lost:
                _log.warning("link.lost", loop=loop, error=str(error) or type(error).__name__)
            is_lost = True
            await asyncio.sleep(pause_seconds)
            pause_seconds = min(pause_seconds * 2, longest_pause_seconds)
            continue
        if is_lost:
            _log.info("link.restored", loop=loop)
        is_lost = False
        pause_seconds = first_pause_seconds

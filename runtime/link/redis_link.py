"""The worker's side of the link to the control plane, which may be down at any time."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import structlog
from redis.asyncio import Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError

logger = structlog.get_logger(__name__)

BLOCK_MS = 1000
"""How long a blocking read waits at the server."""
FIRST_RETRY_SECONDS = 0.1
LONGEST_RETRY_SECONDS = 2.0

LINK_ERRORS = (RedisError, OSError, TimeoutError)


def connect(redis_url: str) -> Redis:
    """A client that reports a lost connection at once: every loop here knows what to do then,
    and a silent second try could send an event out of order."""
    return Redis.from_url(
        redis_url,
        decode_responses=True,
        socket_connect_timeout=2.0,
        socket_timeout=BLOCK_MS / 1000 + 3.0,
        retry=Retry(NoBackoff(), 0),
    )


def raise_if_cancelled() -> None:
    """The client library can turn a cancellation that meets a connection being made into a
    timeout: after one of ``LINK_ERRORS``, and in loops, ask the task itself."""
    task = asyncio.current_task()
    if task is not None and task.cancelling():
        raise asyncio.CancelledError


async def persist(name: str, attempt: Callable[[], Awaitable[None]]) -> None:
    """Await ``attempt`` until cancelled; when the link fails, again after a growing pause."""
    retry_seconds = FIRST_RETRY_SECONDS
    failing = False
    while True:
        raise_if_cancelled()
        try:
            await attempt()
        except LINK_ERRORS as error:
            raise_if_cancelled()
            if not failing:
                logger.warning("link.lost", loop=name, error=str(error) or type(error).__name__)
            failing = True
            await asyncio.sleep(retry_seconds)
            retry_seconds = min(retry_seconds * 2, LONGEST_RETRY_SECONDS)
            continue
        if failing:
            logger.info("link.restored", loop=name)
        failing = False
        retry_seconds = FIRST_RETRY_SECONDS

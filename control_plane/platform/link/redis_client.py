"""Connections to the Redis server between the two planes."""

from __future__ import annotations

from redis.asyncio import Redis
from redis.asyncio.retry import Retry
from redis.backoff import ConstantBackoff

CONNECT_TIMEOUT_SECONDS = 1.0
ANSWER_TIMEOUT_SECONDS = 2.0
"""For commands that do not block. A server that hangs counts as away."""


def connect(url: str, longest_block_seconds: float = 0) -> Redis:
    """A client for ``url``, answering ``str``. Connects on first use and after every loss.

    ``longest_block_seconds`` is the longest BLOCK that the caller will ask for.
    """
    client: Redis = Redis.from_url(
        url,
        decode_responses=True,
        socket_connect_timeout=CONNECT_TIMEOUT_SECONDS,
        socket_timeout=longest_block_seconds + ANSWER_TIMEOUT_SECONDS,
        # One more try covers a connection that the server has closed since its last use.
        retry=Retry(ConstantBackoff(0), retries=1),
    )
    return client

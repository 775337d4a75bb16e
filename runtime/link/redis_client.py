"""The media worker's connection to Redis, which may be down at any time."""

from __future__ import annotations

from redis.asyncio import Redis

from link.connection import connect as connect_link

BLOCK_MS = 1000
"""How long a blocking read waits at the server."""
CONNECT_TIMEOUT_SECONDS = 2.0
ANSWER_TIMEOUT_SECONDS = 3.0


def connect(redis_url: str) -> Redis:
    """A client that reports a lost connection at once, so that events never arrive out of order.
    Every loop of the worker knows what to do then."""
    return connect_link(
        redis_url,
        connect_timeout_seconds=CONNECT_TIMEOUT_SECONDS,
        answer_timeout_seconds=ANSWER_TIMEOUT_SECONDS,
        longest_block_seconds=BLOCK_MS / 1000,
    )

"""The control plane's connections to Redis."""

from __future__ import annotations

from redis.asyncio import Redis

from link.connection import connect as connect_link

CONNECT_TIMEOUT_SECONDS = 1.0
ANSWER_TIMEOUT_SECONDS = 2.0


def connect(url: str, longest_block_seconds: float = 0) -> Redis:
    """A client for ``url``. It sends a command once more if the server has closed the connection
    since its last use.

    ``longest_block_seconds`` is the longest BLOCK that any command will ask for.
    """
    return connect_link(
        url,
        connect_timeout_seconds=CONNECT_TIMEOUT_SECONDS,
        answer_timeout_seconds=ANSWER_TIMEOUT_SECONDS,
        longest_block_seconds=longest_block_seconds,
        retries=1,
    )

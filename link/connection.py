"""Clients for the Redis between the processes."""

from __future__ import annotations

from functools import cache
from typing import Any

from redis.asyncio import ConnectionPool, Redis
from redis.asyncio.client import Pipeline
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.driver_info import DriverInfo
from redis.exceptions import RedisError

from link.cancellation import remembered_cancellation

LINK_ERRORS = (RedisError, OSError)
"""What a command raises while Redis is away. ``TimeoutError`` is an ``OSError``."""


def connect(
    url: str,
    *,
    connect_timeout_seconds: float,
    answer_timeout_seconds: float,
    longest_block_seconds: float = 0,
    retries: int = 0,
) -> Redis:
    """A client for ``url`` that answers in ``str``. It connects on first use and after every loss.

    Args:
        answer_timeout_seconds: for commands that do not block. A server that hangs counts as away.
        longest_block_seconds: the longest BLOCK that any command will ask for.
        retries: how often the client sends a command again by itself after a lost connection. 0 for
            callers to whom order matters: a silent second try could add an entry twice, or after
            a later one.
    """
    return _Client.from_url(
        url,
        decode_responses=True,
        socket_connect_timeout=connect_timeout_seconds,
        socket_timeout=longest_block_seconds + answer_timeout_seconds,
        retry=Retry(NoBackoff(), retries),
        driver_info=driver_info(),
    )


def client_of(connections: ConnectionPool) -> Redis:
    """A client that shares ``connections`` with others, and whose commands end when their task is
    cancelled, too."""
    return _Client.from_pool(connections)


@cache
def driver_info() -> DriverInfo:
    """What a connection tells Redis of its client library. Found once, because it takes 2 ms of the
    processor to look the version up, and redis-py would do so for every connection."""
    return DriverInfo()


async def answers(redis: Redis) -> bool:
    """Whether Redis answers now."""
    try:
        await redis.ping()
    except LINK_ERRORS:
        return False
    return True


class _Client(Redis):
    """Every command and every pipeline ends when its task is cancelled."""

    async def execute_command(self, *args: Any, **options: Any) -> Any:
        with remembered_cancellation():
            return await super().execute_command(*args, **options)  # type: ignore[no-untyped-call]

    def pipeline(self, transaction: bool = True, shard_hint: str | None = None) -> Pipeline:
        return _Pipeline(self.connection_pool, self.response_callbacks, transaction, shard_hint)


class _Pipeline(Pipeline):
    async def execute(self, raise_on_error: bool = True) -> list[Any]:
        with remembered_cancellation():
            return await super().execute(raise_on_error)

    async def immediate_execute_command(self, *args: Any, **options: Any) -> Any:
        """WATCH, and what is read after it."""
        with remembered_cancellation():
            return await super().immediate_execute_command(*args, **options)  # type: ignore[no-untyped-call]

    async def reset(self) -> None:  # type: ignore[override]  # Not the command RESET.
        """UNWATCH, at the end of a block."""
        with remembered_cancellation():
            await super().reset()  # type: ignore[no-untyped-call]

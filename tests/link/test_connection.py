"""Clients against a real Valkey, and against servers that do not behave."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any

import pytest
from redis.asyncio import Connection, Redis
from redis.exceptions import ConnectionError, TimeoutError

from link.connection import LINK_ERRORS, connect


def client(url: str, *, answer_timeout_seconds: float = 2, retries: int = 0) -> Redis:
    return connect(
        url,
        connect_timeout_seconds=2,
        answer_timeout_seconds=answer_timeout_seconds,
        retries=retries,
    )


@asynccontextmanager
async def server(*, answers: bool) -> AsyncIterator[tuple[str, list[str]]]:
    """A server that hangs up after each connection's first bytes, or never says anything. The list
    grows with every connection."""
    connections: list[str] = []
    held = asyncio.Event()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connections.append("new")
        await reader.read(1)
        if not answers:
            await held.wait()
        writer.close()

    listening = await asyncio.start_server(serve, "127.0.0.1", 0)
    port = listening.sockets[0].getsockname()[1]
    try:
        yield f"redis://127.0.0.1:{port}", connections
    finally:
        held.set()
        listening.close()


async def test_answers_are_text(redis: Redis) -> None:
    await redis.set("key", "värde")
    assert await redis.get("key") == "värde"


async def reads(redis: Redis) -> None:
    await redis.get("key")


async def sends_together(redis: Redis) -> None:
    await redis.pipeline().get("key").execute()


async def watches(redis: Redis) -> None:
    async with redis.pipeline() as pipe:
        await pipe.watch("key")
        await pipe.get("key")


@pytest.mark.parametrize(
    ("work", "command"),
    [
        (reads, "GET"),
        (sends_together, "GET"),
        *((watches, each) for each in ("WATCH", "GET", "UNW")),
    ],
)
async def test_a_task_that_is_cancelled_ends_although_the_library_forgets_it(
    redis: Redis,
    monkeypatch: pytest.MonkeyPatch,
    work: Callable[[Redis], Awaitable[None]],
    command: str,
) -> None:
    """As ``asyncio.wait_for`` does, when the cancellation comes just as it finishes."""
    send = Connection.send_packed_command

    async def forgetful(connection: Connection, packed: Any, **options: Any) -> None:
        await send(connection, packed, **options)
        if command.encode() in b"".join(packed):
            task = asyncio.current_task()
            assert task is not None
            task.cancel()
            with suppress(asyncio.CancelledError):
                await asyncio.sleep(0)

    await redis.ping()
    monkeypatch.setattr(Connection, "send_packed_command", forgetful)
    task = asyncio.ensure_future(work(redis))
    await asyncio.wait([task])
    assert task.cancelled()


async def test_an_absent_server_is_a_link_error() -> None:
    async with client("redis://127.0.0.1:1") as redis:
        with pytest.raises(LINK_ERRORS):
            await redis.ping()


async def test_a_server_that_hangs_counts_as_away() -> None:
    async with server(answers=False) as (url, _), client(url, answer_timeout_seconds=0.1) as redis:
        with pytest.raises(TimeoutError):
            await redis.ping()


async def test_nothing_is_sent_again_unless_that_is_asked_for() -> None:
    async with server(answers=True) as (url, connections):
        async with client(url) as redis:
            with pytest.raises(ConnectionError):
                await redis.ping()
        assert len(connections) == 1
        async with client(url, retries=1) as redis:
            with pytest.raises(ConnectionError):
                await redis.ping()
        assert len(connections) > 2


async def test_a_blocking_command_may_take_longer_than_an_answer(valkey_url: str) -> None:
    async with connect(
        valkey_url,
        connect_timeout_seconds=2,
        answer_timeout_seconds=0.2,
        longest_block_seconds=0.3,
    ) as redis:
        began = time.monotonic()
        assert await redis.brpop(["list"], timeout=0.3) is None
        assert time.monotonic() - began >= 0.3


async def ping(redis: Redis) -> None:
    await redis.ping()


async def pipeline(redis: Redis) -> None:
    async with redis.pipeline(transaction=False) as pipe:
        await pipe.ping().execute()


async def block(redis: Redis) -> None:
    await redis.brpop(["list"], timeout=0.05)


@pytest.mark.parametrize("command", [ping, pipeline, block])
@pytest.mark.parametrize("retries", [0, 1])
async def test_a_cancellation_at_any_step_of_a_command_ends_its_task(
    valkey_url: str, command: Callable[[Redis], Awaitable[None]], retries: int
) -> None:
    """The client library alone forgets it at every other step."""
    cancelled = 0
    for steps in range(1, 20):
        async with client(valkey_url, retries=retries) as redis:
            task = asyncio.create_task(command(redis))
            for _ in range(steps):
                await asyncio.sleep(0)
            if task.cancel():
                await asyncio.wait([task])
                assert task.cancelled(), f"after {steps} steps"
                cancelled += 1
    assert cancelled >= 5

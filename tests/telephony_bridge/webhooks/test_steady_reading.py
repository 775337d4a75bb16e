"""When the bridge stops reading from a carrier's websocket."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
import uvicorn
from uvicorn.server import ServerState

from telephony_bridge.webhooks.steady_reading import MOST_WAITING, SteadyReading

UPGRADE = (
    b"GET / HTTP/1.1\r\nHost: bridge\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
    b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
)
FRAME = b"\x81\x85\0\0\0\0hello"
"""A text, with a mask of zeros."""


class Socket(asyncio.Transport):
    """Notes how often it was told to pause."""

    def __init__(self) -> None:
        super().__init__()
        self.pauses = 0
        self.reads = True

    def pause_reading(self) -> None:
        self.pauses += 1
        self.reads = False

    def resume_reading(self) -> None:
        self.reads = True

    def is_closing(self) -> bool:
        return False

    def write(self, data: bytes | bytearray | memoryview) -> None:
        pass

    def close(self) -> None:
        pass


class Reader:
    """An application that reads as many messages as it is told."""

    def __init__(self) -> None:
        self.may_read = asyncio.Semaphore(0)
        self.has_read = asyncio.Semaphore(0)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        await receive()
        await send({"type": "websocket.accept"})
        self.has_read.release()
        while True:
            await self.may_read.acquire()
            await receive()
            self.has_read.release()


@pytest.fixture
async def reader() -> Reader:
    return Reader()


@pytest.fixture
async def connection(reader: Reader) -> SteadyReading:
    config = uvicorn.Config(reader, lifespan="off", log_config=None, ws_ping_interval=None)
    config.load()
    protocol = SteadyReading(config, ServerState(), {})
    protocol.connection_made(Socket())
    protocol.data_received(UPGRADE)
    await reader.has_read.acquire()
    return protocol


def socket_of(connection: SteadyReading) -> Socket:
    assert isinstance(connection.transport, Socket)
    return connection.transport


async def test_frames_that_are_read_as_they_come_pause_nothing(
    connection: SteadyReading, reader: Reader
) -> None:
    for _ in range(3 * MOST_WAITING):
        connection.data_received(FRAME)
        reader.may_read.release()
        await reader.has_read.acquire()
    assert socket_of(connection).pauses == 0


async def test_a_carrier_that_sends_too_much_is_not_read_until_all_of_it_was_taken(
    connection: SteadyReading, reader: Reader
) -> None:
    for _ in range(MOST_WAITING):
        connection.data_received(FRAME)
    assert socket_of(connection).reads
    connection.data_received(FRAME)
    assert not socket_of(connection).reads
    for _ in range(MOST_WAITING):
        reader.may_read.release()
        await reader.has_read.acquire()
    assert not socket_of(connection).reads
    reader.may_read.release()
    await reader.has_read.acquire()
    assert socket_of(connection).reads

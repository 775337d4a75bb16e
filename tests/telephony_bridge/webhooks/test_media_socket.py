"""A carrier's websocket, with and without somebody who listens to it."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
import uvicorn
from uvicorn.server import ServerState

from telephony_bridge.media.carrier_socket import SocketClosed
from telephony_bridge.webhooks.media_socket import DirectWebSocket, MediaSocket

UPGRADE = (
    b"GET / HTTP/1.1\r\nHost: bridge\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
    b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
)
TEXT, BINARY, CLOSE, LAST = 1, 2, 8, 0x80
MASK_OF_ZEROS = b"\0\0\0\0"


def frame(kind: int, content: bytes, last: int = LAST) -> bytes:
    """From a client."""
    return bytes([last | kind, 0x80 | len(content)]) + MASK_OF_ZEROS + content


class Connection(asyncio.Transport):
    """Takes as much as it is told."""

    def __init__(self) -> None:
        super().__init__()
        self.written: list[bytes] = []
        self.waiting_bytes = 0
        self.reads = True
        self.is_closed = False

    def write(self, data: bytes | bytearray | memoryview) -> None:
        self.written.append(bytes(data))

    def get_write_buffer_size(self) -> int:
        return self.waiting_bytes

    def pause_reading(self) -> None:
        self.reads = False

    def resume_reading(self) -> None:
        self.reads = True

    def is_closing(self) -> bool:
        return self.is_closed

    def close(self) -> None:
        self.is_closed = True


class Application:
    """Accepts, and leaves its socket to the test."""

    def __init__(self) -> None:
        self.socket: asyncio.Future[MediaSocket] = asyncio.get_running_loop().create_future()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        await receive()
        await send({"type": "websocket.accept"})
        self.socket.set_result(MediaSocket(scope, receive, send))
        await asyncio.Event().wait()


@pytest.fixture
async def application() -> Application:
    return Application()


@pytest.fixture
async def carrier(application: Application) -> DirectWebSocket:
    config = uvicorn.Config(application, lifespan="off", log_config=None, ws_ping_interval=None)
    config.load()
    websocket = DirectWebSocket(config, ServerState(), {})
    websocket.connection_made(Connection())
    websocket.data_received(UPGRADE)
    return websocket


@pytest.fixture
async def socket(application: Application, carrier: DirectWebSocket) -> MediaSocket:
    return await application.socket


def connection_of(carrier: DirectWebSocket) -> Connection:
    assert isinstance(carrier.transport, Connection)
    return carrier.transport


async def test_messages_are_heard_in_the_call_that_brings_them(
    carrier: DirectWebSocket, socket: MediaSocket
) -> None:
    heard: list[str | bytes] = []
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(socket.listen(heard.append))
        await asyncio.sleep(0)
        carrier.data_received(frame(TEXT, b"one") + frame(BINARY, b"\x01\x02"))
        assert heard == ["one", b"\x01\x02"]
        carrier.data_received(frame(TEXT, b"in ", 0) + frame(0, b"pieces"))
        assert heard[2:] == ["in pieces"]
        assert connection_of(carrier).reads
        carrier.connection_lost(None)


async def test_what_came_before_somebody_listens_comes_first(
    carrier: DirectWebSocket, socket: MediaSocket
) -> None:
    heard: list[str | bytes] = []
    carrier.data_received(frame(TEXT, b"start"))
    carrier.data_received(frame(TEXT, b"one"))
    assert await socket.receive() == "start"
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(socket.listen(heard.append))
        await asyncio.sleep(0)
        carrier.data_received(frame(TEXT, b"two"))
        assert heard == ["one", "two"]
        assert connection_of(carrier).reads
        carrier.connection_lost(None)


async def test_a_carrier_is_read_no_further_while_nobody_listens(
    carrier: DirectWebSocket, socket: MediaSocket
) -> None:
    carrier.data_received(frame(TEXT, b"start"))
    assert not connection_of(carrier).reads
    await socket.receive()
    assert connection_of(carrier).reads


async def test_text_that_is_no_utf_8_closes_nothing(
    carrier: DirectWebSocket, socket: MediaSocket
) -> None:
    heard: list[str | bytes] = []
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(socket.listen(heard.append))
        await asyncio.sleep(0)
        carrier.data_received(frame(TEXT, b"\xff\xfe"))
        carrier.data_received(frame(TEXT, b"two"))
        assert heard == ["\ufffd\ufffd", "two"]
        carrier.connection_lost(None)


async def test_a_message_leaves_at_once(carrier: DirectWebSocket, socket: MediaSocket) -> None:
    socket.send("one")
    socket.send(b"\x01\x02")
    text, binary = connection_of(carrier).written[-2:]
    assert (text, binary) == (b"\x81\x03one", b"\x82\x02\x01\x02")
    connection_of(carrier).waiting_bytes = 7
    assert socket.waiting_bytes == 7


@pytest.mark.parametrize("says_so", [True, False])
async def test_listening_ends_when_the_carrier_is_gone(
    carrier: DirectWebSocket, socket: MediaSocket, *, says_so: bool
) -> None:
    listening = asyncio.create_task(socket.listen(lambda _: None))
    await asyncio.sleep(0)
    if says_so:
        carrier.data_received(frame(CLOSE, b"\x03\xe8"))
    else:
        carrier.connection_lost(ConnectionResetError())
    await asyncio.wait_for(listening, 5)
    with pytest.raises(SocketClosed):
        socket.send("too late")
    with pytest.raises(SocketClosed):
        await socket.receive()


async def test_a_socket_that_is_closed_says_so_to_the_carrier_once(
    carrier: DirectWebSocket, socket: MediaSocket
) -> None:
    before = len(connection_of(carrier).written)
    await socket.close()
    await socket.close()
    assert connection_of(carrier).written[before:] == [b"\x88\x02\x03\xe8"]
    with pytest.raises(SocketClosed):
        socket.send("too late")

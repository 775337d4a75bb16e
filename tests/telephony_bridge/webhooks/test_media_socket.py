"""A carrier's websocket, with and without somebody who listens to it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
import uvicorn
from uvicorn.server import ServerState

from telephony_bridge.media.carrier_socket import SocketClosed
from telephony_bridge.webhooks.media_socket import MOST_MESSAGE_BYTES, MediaSocket
from telephony_bridge.webhooks.websocket_upgrade import (
    MEDIA_SOCKET,
    MOST_READ_BYTES,
    WebSocketUpgrade,
    _MediaConnection,
)
from tests.runtime.until import until

UPGRADE = (
    b"GET /media?a=1 HTTP/1.1\r\nHost: bridge\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
    b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
)
CONTINUATION, TEXT, BINARY, CLOSE, PING, LAST = 0, 1, 2, 8, 9, 0x80
MASK_OF_ZEROS = b"\0\0\0\0"


class Carrier:
    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    def send(self, data: bytes) -> None:
        self._writer.write(data)

    def say(self, kind: int, content: bytes, last: int = LAST) -> None:
        size = bytes([0x80 | min(len(content), 127)])
        if len(content) > 125:
            size += len(content).to_bytes(8, "big")
        self.send(bytes([last | kind]) + size + MASK_OF_ZEROS + content)

    async def status(self) -> int:
        head = await self._reader.readuntil(b"\r\n\r\n")
        return int(head.split()[1])

    async def frame(self) -> tuple[int, bytes]:
        kind, size = await self._reader.readexactly(2)
        return kind & 0x0F, await self._reader.readexactly(size)

    async def takes(self, count: int) -> None:
        await self._reader.readexactly(count)

    async def sees_the_end(self) -> None:
        await self._reader.read()

    def goes(self) -> None:
        self._writer.transport.abort()


class Application:
    """Gives the answer it is told to. What it accepts is the test's, as long as that lasts."""

    def __init__(self) -> None:
        self.answer = "websocket.accept"
        self.scope: dict[str, Any] = {}
        self.socket: asyncio.Future[MediaSocket] = asyncio.get_running_loop().create_future()
        self.is_over = asyncio.Event()
        self.may_answer = asyncio.Event()
        self.may_answer.set()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        self.scope = scope
        assert (await receive())["type"] == "websocket.connect"
        await self.may_answer.wait()
        if self.answer == "an exception":
            raise ValueError(self.answer)
        if self.answer:
            await send({"type": self.answer})
            self.socket.set_result(scope["extensions"][MEDIA_SOCKET])
            await self.is_over.wait()


class Bridge:
    def __init__(self, application: Application) -> None:
        self.state = ServerState()
        self.upgrades: list[WebSocketUpgrade] = []
        config = uvicorn.Config(application, lifespan="off", log_config=None)
        config.load()
        self._config = config

    def connection(self) -> WebSocketUpgrade:
        self.upgrades.append(WebSocketUpgrade(self._config, self.state, {}))
        return self.upgrades[-1]

    async def has_no_connection(self) -> None:
        await until(lambda: not self.state.connections and not self.state.tasks)


@pytest.fixture
async def application() -> AsyncIterator[Application]:
    application = Application()
    yield application
    application.is_over.set()


@pytest.fixture
async def bridge(application: Application) -> Bridge:
    return Bridge(application)


@pytest.fixture
async def carrier(bridge: Bridge) -> AsyncIterator[Carrier]:
    """Connected; it has asked for nothing yet."""
    server = await asyncio.get_running_loop().create_server(bridge.connection, "127.0.0.1", 0)
    async with server:
        carrier = Carrier(*await asyncio.open_connection(*server.sockets[0].getsockname()))
        yield carrier
        carrier.goes()


@pytest.fixture
async def socket(application: Application, carrier: Carrier) -> MediaSocket:
    carrier.send(UPGRADE)
    assert await carrier.status() == 101
    return await application.socket


class Turns:
    """Of the event loop, by the messages that are heard in each."""

    def __init__(self) -> None:
        self.heard = 0
        self.most_in_one = 0
        self._in_this_one = 0

    def hear(self, _: str | bytes) -> None:
        if not self._in_this_one:
            asyncio.get_running_loop().call_soon(self._is_over)
        self.heard += 1
        self._in_this_one += 1

    def _is_over(self) -> None:
        self.most_in_one = max(self.most_in_one, self._in_this_one)
        self._in_this_one = 0


async def answered(carrier: Carrier) -> None:
    """All that the carrier has sent was read: its ping, which came last, has its pong."""
    carrier.say(PING, b"?")
    assert await carrier.frame() == (0xA, b"?")


async def test_messages_are_heard_whole(carrier: Carrier, socket: MediaSocket) -> None:
    heard: list[str | bytes] = []
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(socket.listen(heard.append))
        carrier.say(TEXT, b"one")
        carrier.say(BINARY, b"\x01\x02")
        carrier.say(TEXT, b"in ", 0)
        carrier.say(PING, b"")
        carrier.say(CONTINUATION, b"pie", 0)
        carrier.say(CONTINUATION, b"ces")
        await until(lambda: len(heard) == 3)
        assert heard == ["one", b"\x01\x02", "in pieces"]
        carrier.goes()


async def test_a_carrier_that_sends_on_and_on_leaves_the_loop_to_others(
    carrier: Carrier, socket: MediaSocket
) -> None:
    turns = Turns()
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(socket.listen(turns.hear))
        for _ in range(20_000):
            carrier.say(TEXT, b"")
        await until(lambda: turns.heard == 20_000)
        carrier.goes()
    smallest_bytes = 6
    assert turns.most_in_one <= MOST_READ_BYTES // smallest_bytes + 1


async def test_a_message_that_takes_many_reads_is_heard_whole(
    carrier: Carrier, socket: MediaSocket
) -> None:
    largest = bytes(range(256)) * (MOST_MESSAGE_BYTES // 256)
    for message in (b"before", largest, largest, b"after"):
        carrier.say(BINARY, message)
    heard = [await asyncio.wait_for(socket.receive(), 5) for _ in range(4)]
    assert heard == [b"before", largest, largest, b"after"]


async def test_what_came_before_somebody_listens_comes_first(
    carrier: Carrier, socket: MediaSocket
) -> None:
    heard: list[str | bytes] = []
    for message in (b"start", b"one", b"two"):
        carrier.say(TEXT, message)
    assert await socket.receive() == "start"
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(socket.listen(heard.append))
        await until(lambda: len(heard) == 2)
        carrier.say(TEXT, b"three")
        await until(lambda: len(heard) == 3)
        assert heard == ["one", "two", "three"]
        carrier.goes()


async def test_a_carrier_is_read_no_further_while_nobody_listens(
    carrier: Carrier, socket: MediaSocket
) -> None:
    carrier.say(TEXT, b"start")
    assert socket._transport is not None
    connection = socket._transport.underlying_transport
    await until(lambda: not connection.is_reading())
    await socket.receive()
    assert connection.is_reading()


async def test_text_that_is_no_utf_8_closes_nothing(carrier: Carrier, socket: MediaSocket) -> None:
    carrier.say(TEXT, b"\xff\xfe")
    assert await socket.receive() == "\ufffd\ufffd"
    await answered(carrier)


@pytest.mark.parametrize(
    "pieces",
    [[(CONTINUATION, b"of nothing", LAST)], [(TEXT, b"x" * MOST_MESSAGE_BYTES, 0), (0, b"x", 0)]],
)
async def test_pieces_that_make_no_message_end_the_connection(
    carrier: Carrier, socket: MediaSocket, pieces: list[tuple[int, bytes, int]]
) -> None:
    for kind, content, last in pieces:
        carrier.say(kind, content, last)
    with pytest.raises(SocketClosed):
        await asyncio.wait_for(socket.receive(), 5)
    kind, code = await carrier.frame()
    assert (kind, int.from_bytes(code, "big")) == (CLOSE, 1002 if len(pieces) == 1 else 1009)


async def test_a_message_leaves_at_once(carrier: Carrier, socket: MediaSocket) -> None:
    socket.send("one")
    socket.send(b"\x01\x02")
    assert [await carrier.frame(), await carrier.frame()] == [(TEXT, b"one"), (BINARY, b"\x01\x02")]
    assert socket.waiting_bytes == 0


async def test_what_a_connection_does_not_take_waits(carrier: Carrier, socket: MediaSocket) -> None:
    for _ in range(200):
        socket.send(b"x" * MOST_MESSAGE_BYTES)
    assert socket.waiting_bytes > MOST_MESSAGE_BYTES


async def test_a_carrier_that_takes_nothing_is_not_read_either(
    carrier: Carrier, socket: MediaSocket
) -> None:
    """Each of its pings would add an answer to what waits."""
    assert socket._transport is not None
    connection = socket._transport.underlying_transport
    carrier.say(TEXT, b"before")
    await until(lambda: not socket._waiting.empty())
    socket.send(b"x" * 20_000_000)
    assert await socket.receive() == "before"
    assert not connection.is_reading()
    carrier.say(TEXT, b"after")
    await carrier.takes(20_000_000)
    assert await asyncio.wait_for(socket.receive(), 5) == "after"
    assert connection.is_reading()


@pytest.mark.parametrize("says_so", [True, False])
async def test_listening_ends_when_the_carrier_is_gone(
    carrier: Carrier,
    socket: MediaSocket,
    bridge: Bridge,
    application: Application,
    *,
    says_so: bool,
) -> None:
    listening = asyncio.create_task(socket.listen(lambda _: None))
    if says_so:
        carrier.say(CLOSE, b"\x03\xe8")
    else:
        carrier.goes()
    await asyncio.wait_for(listening, 5)
    with pytest.raises(SocketClosed):
        socket.send("too late")
    with pytest.raises(SocketClosed):
        await socket.receive()
    application.is_over.set()
    await bridge.has_no_connection()


async def test_a_socket_that_is_closed_says_so_to_the_carrier_once(
    carrier: Carrier, socket: MediaSocket
) -> None:
    await socket.close()
    await socket.close()
    assert await carrier.frame() == (CLOSE, b"\x03\xe8")
    await carrier.sees_the_end()
    with pytest.raises(SocketClosed):
        socket.send("too late")


async def test_a_server_that_stops_says_so(
    carrier: Carrier, socket: MediaSocket, bridge: Bridge
) -> None:
    bridge.upgrades[0].shutdown()
    assert await carrier.frame() == (CLOSE, (1012).to_bytes(2, "big"))
    with pytest.raises(SocketClosed):
        await socket.receive()


async def test_the_application_sees_the_request(
    application: Application, socket: MediaSocket
) -> None:
    assert (application.scope["path"], application.scope["query_string"]) == ("/media", b"a=1")
    assert (b"host", b"bridge") in application.scope["headers"]


@pytest.mark.parametrize(
    ("answer", "status"), [("websocket.close", 403), ("an exception", 500), ("", 500)]
)
async def test_what_is_not_accepted_is_told_so(
    carrier: Carrier, application: Application, bridge: Bridge, answer: str, status: int
) -> None:
    application.answer = answer
    application.is_over.set()
    carrier.send(UPGRADE)
    assert await carrier.status() == status
    await carrier.sees_the_end()
    await bridge.has_no_connection()


@pytest.mark.parametrize("step", ["connection_made", "buffer_updated"])
async def test_a_connection_that_cannot_be_opened_is_closed(
    carrier: Carrier,
    application: Application,
    bridge: Bridge,
    monkeypatch: pytest.MonkeyPatch,
    step: str,
) -> None:
    def fails(*_: Any) -> None:
        raise OSError("no such socket")

    monkeypatch.setattr(_MediaConnection, step, fails)
    carrier.send(UPGRADE)
    async with asyncio.timeout(10):
        await carrier.sees_the_end()
    await bridge.has_no_connection()
    with pytest.raises(SocketClosed):
        await application.scope["extensions"][MEDIA_SOCKET].receive()


@pytest.mark.parametrize(
    ("right", "wrong", "status"),
    [
        (b"Sec-WebSocket-Key", b"X-Key", 400),
        (b"Version: 13", b"Version: 8", 400),
        (b"Upgrade: websocket", b"Upgrade: h2c", 426),
        (b"Host: bridge", b"X: " + b"x" * 9_000, 431),
        (b"Host: bridge", b"Host bridge", 400),
    ],
)
async def test_what_is_no_upgrade_is_refused_before_the_application_is_asked(
    carrier: Carrier,
    application: Application,
    bridge: Bridge,
    right: bytes,
    wrong: bytes,
    status: int,
) -> None:
    carrier.send(UPGRADE.replace(right, wrong))
    assert await carrier.status() == status
    assert application.scope == {}
    await bridge.has_no_connection()


@pytest.mark.parametrize(
    ("usual", "rare"),
    [(b"Connection: Upgrade", b"Connection: keep-alive, Upgrade"), (b"Host: bridge\r\n", b"")],
)
async def test_rare_but_right_upgrades_are_accepted(
    carrier: Carrier, usual: bytes, rare: bytes
) -> None:
    carrier.send(UPGRADE.replace(usual, rare))
    assert await carrier.status() == 101


async def test_what_comes_before_the_answer_is_not_lost(
    carrier: Carrier, application: Application
) -> None:
    application.may_answer.clear()
    carrier.send(UPGRADE)
    carrier.say(TEXT, b"early")
    await until(lambda: bool(application.scope))
    application.may_answer.set()
    assert await (await application.socket).receive() == "early"


async def test_a_carrier_that_sends_on_and_on_before_the_answer_is_refused(
    carrier: Carrier, application: Application, bridge: Bridge
) -> None:
    application.may_answer.clear()
    carrier.send(UPGRADE)
    await until(lambda: bool(application.scope))
    carrier.send(b"x" * (MOST_READ_BYTES + 1))
    assert await carrier.status() == 400
    application.is_over.set()
    application.may_answer.set()
    await bridge.has_no_connection()


async def test_a_carrier_that_is_gone_before_the_answer_has_no_socket(
    carrier: Carrier, application: Application, bridge: Bridge
) -> None:
    application.may_answer.clear()
    carrier.send(UPGRADE)
    await until(lambda: bool(application.scope))
    carrier.goes()
    await until(lambda: not bridge.state.connections)
    application.may_answer.set()
    with pytest.raises(SocketClosed):
        await (await application.socket).receive()

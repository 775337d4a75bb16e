"""Strangers who connect to the bridge and keep it waiting, beside phones that talk for hours."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx2
import pytest
from structlog.testing import capture_logs
from websockets.asyncio.client import ClientConnection, connect

from listeners.connection_limits import ConnectionTimes
from telephony_bridge.settings import BridgeSettings
from telephony_bridge.webhooks import app as bridge_app
from telephony_bridge.webhooks.app import BODY_SECONDS, BridgeApp
from telephony_bridge.webhooks.server import BridgeServer, listen
from telephony_bridge.webhooks.websocket_upgrade import MEDIA_SOCKET

LOOPBACK = "127.0.0.1"
SHORT = ConnectionTimes(head_seconds=0.3, linger_seconds=0.3, unread_seconds=0.3)
SOON_SECONDS = 5.0
"""Far more than the times above, and far less than for ever."""
VOICE = b"POST /carriers/twilio/0d8a51cd-5d5b-4cf4-9bb5-0d0a5fbf33a1/voice HTTP/1.1\r\nHost: t\r\n"
UNKNOWN = b"GET /unknown HTTP/1.1\r\nHost: t\r\n"
FOUND = "/sentences/not_now.wav"


async def application(scope: Any, receive: Any, send: Any) -> None:
    """The bridge's, for what needs no account. It lets every websocket in."""
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.accept"})
        await scope["extensions"][MEDIA_SOCKET].listen(lambda _: None)
    else:
        nothing: Any = None
        bridge = BridgeApp("https://phones.example.com", nothing, nothing, nothing)
        await bridge(scope, receive, send)


@asynccontextmanager
async def served(most_connections: int = 10, times: ConnectionTimes = SHORT) -> AsyncIterator[int]:
    """The port of a bridge."""
    listener = listen(LOOPBACK, 0)
    app: Any = application
    server = BridgeServer(app, most_connections, times)
    serving = asyncio.create_task(server.serve(sockets=[listener]))
    try:
        yield int(listener.getsockname()[1])
    finally:
        server.should_exit = True
        await serving


class Stranger:
    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    @classmethod
    async def connected(cls, port: int, says: bytes = b"") -> Stranger:
        stranger = cls(*await asyncio.open_connection(LOOPBACK, port))
        stranger._writer.write(says)
        return stranger

    async def sees(self) -> bytes:
        """Everything until the bridge closes the connection."""
        try:
            return await asyncio.wait_for(self._reader.read(), SOON_SECONDS)
        except ConnectionResetError:
            return b""
        finally:
            self._writer.close()


@asynccontextmanager
async def phone(port: int) -> AsyncIterator[ClientConnection]:
    """The media websocket of a call."""
    async with connect(f"ws://{LOOPBACK}:{port}/media", proxy=None) as websocket:
        yield websocket


async def is_answered(websocket: ClientConnection) -> None:
    await asyncio.wait_for(await websocket.ping(), SOON_SECONDS)


async def status(port: int) -> int:
    async with httpx2.AsyncClient(trust_env=False) as http:
        return (await http.get(f"http://{LOOPBACK}:{port}/unknown")).status_code


async def test_a_connection_without_a_request_is_closed() -> None:
    async with served() as port:
        assert await (await Stranger.connected(port)).sees() == b""


async def test_a_head_that_is_late_is_answered_408() -> None:
    async with served() as port:
        answer = await (await Stranger.connected(port, UNKNOWN)).sees()
    assert answer.startswith(b"HTTP/1.1 408 ")
    assert b"\r\nconnection: close\r\n" in answer.lower()
    assert b"within 0.3 s" in answer


async def test_a_body_that_is_late_is_answered_408(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bridge_app, "BODY_SECONDS", 0.1)
    async with served() as port:
        half = VOICE + b"Content-Length: 10\r\n\r\nabc"
        assert (await (await Stranger.connected(port, half)).sees()).startswith(b"HTTP/1.1 408 ")


async def test_a_body_that_nobody_reads_is_not_awaited_for_long() -> None:
    async with served() as port:
        unread = UNKNOWN + b"Content-Length: 1000000\r\n\r\n"
        assert (await (await Stranger.connected(port, unread)).sees()).startswith(b"HTTP/1.1 404 ")


def test_the_times_are_those_that_we_promise() -> None:
    app: Any = application
    config = BridgeServer(app, 10).config
    protocol: Any = config.http
    assert protocol.times.head_seconds == 10
    assert BODY_SECONDS == 10, "no carrier's webhook is large"
    assert config.timeout_keep_alive == 75


async def test_two_framings_of_a_body_are_refused() -> None:
    async with served() as port:
        both = VOICE + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
        answer = await (await Stranger.connected(port, both + UNKNOWN + b"\r\n")).sees()
    assert answer.startswith(b"HTTP/1.1 400 ")
    assert answer.count(b"HTTP/1.1 ") == 1, "what follows is not read as a request"


async def test_a_phone_s_websocket_has_no_time_limit() -> None:
    async with served() as port, phone(port) as websocket:
        # Each waits as long as a head may, and began after the websocket.
        for _ in range(3):
            await (await Stranger.connected(port, UNKNOWN)).sees()
            await is_answered(websocket)


async def test_nor_has_one_that_was_opened_on_a_used_connection() -> None:
    upgrade = (
        b"GET /media HTTP/1.1\r\nHost: t\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
        b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
    )
    ping = b"\x89\x80\0\0\0\0"
    async with served() as port:
        reader, writer = await asyncio.open_connection(LOOPBACK, port)
        writer.write(f"GET {FOUND} HTTP/1.1\r\nHost: t\r\n\r\n".encode())
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        length = int(head.partition("content-length: ")[2].partition("\r\n")[0])
        await reader.readexactly(length)
        writer.write(upgrade)
        assert (await reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 101 ")
        for _ in range(2):
            await (await Stranger.connected(port, UNKNOWN)).sees()
            writer.write(ping)
            pong = asyncio.wait_for(reader.readexactly(2), SOON_SECONDS)
            assert await pong == b"\x8a\0"
        writer.close()


async def test_a_full_bridge_closes_the_stranger_that_has_waited_longest_and_no_phone() -> None:
    async with served(3, ConnectionTimes()) as port, phone(port) as websocket:
        slow = [await Stranger.connected(port, UNKNOWN) for _ in range(2)]
        assert await status(port) == 404
        assert await slow[0].sees() == b""
        assert await status(port) == 404
        await is_answered(websocket)


async def test_a_bridge_whose_connections_are_all_phones_refuses_more() -> None:
    async with served(1, ConnectionTimes()) as port, phone(port) as websocket:
        refused = await (await Stranger.connected(port)).sees()
        await is_answered(websocket)
    assert refused.startswith(b"HTTP/1.1 503 ")


async def test_a_full_bridge_writes_one_line_a_second() -> None:
    async with served(2) as port:
        with capture_logs() as lines:
            strangers = [await Stranger.connected(port) for _ in range(50)]
            assert await status(port) == 404
        for stranger in strangers:
            await stranger.sees()
    reported = [line for line in lines if line["event"] == "connections_limited"]
    assert 1 <= len(reported) <= 10, "fifty connections in a few seconds at most"


@pytest.mark.parametrize(("open_files", "most"), [(65_536, 10_000), (1_024, 256), (256, 64)])
def test_each_phone_has_a_file_for_its_worker_too(open_files: int, most: int) -> None:
    settings = BridgeSettings(redis_url="redis://r", bridge_id="b", open_files=open_files)
    assert settings.most_connections == most

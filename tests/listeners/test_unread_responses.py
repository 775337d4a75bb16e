"""Clients that do not read what they asked for."""

from __future__ import annotations

import asyncio
import socket
import struct
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import ClassVar

import httpx2
import pytest
from fastapi import FastAPI
from fastapi.responses import PlainTextResponse

from control_plane.platform.http.refusals import problem_answer
from listeners.connection_limits import ConnectionTimes, LimitedProtocol
from listeners.connection_room import ConnectionRoom
from tests.control_plane.platform.http.real_server import served

SHORT = ConnectionTimes(head_seconds=0.3, linger_seconds=0.3, unread_seconds=0.3)
SOON_SECONDS = 5.0
"""Far more than the times above, and far less than for ever."""
LARGE = b"GET /large HTTP/1.1\r\nHost: t\r\n"
SMALL = b"GET /small HTTP/1.1\r\nHost: t\r\n"
THEN_CLOSE = SMALL + b"Connection: close\r\n\r\n"
_SOON_IDLE_SECONDS, _NEVER_IDLE_SECONDS = 1, 75


@pytest.fixture
def app() -> FastAPI:
    app = FastAPI()

    @app.get("/large")
    async def large() -> PlainTextResponse:
        return PlainTextResponse("x" * 50_000_000)

    @app.get("/small")
    async def small() -> PlainTextResponse:
        """More than the small buffers below hold, and too little to make the server pause."""
        return PlainTextResponse("x" * 50_000)

    return app


@pytest.mark.parametrize(
    ("request_bytes", "keep_alive_seconds"),
    [
        pytest.param(LARGE + b"\r\n", _NEVER_IDLE_SECONDS, id="large"),
        pytest.param(LARGE + b"Connection: close\r\n\r\n", _NEVER_IDLE_SECONDS, id="large, close"),
        pytest.param(THEN_CLOSE, _NEVER_IDLE_SECONDS, id="then close"),
        pytest.param(SMALL + b"\r\n", _SOON_IDLE_SECONDS, id="then idle"),
        pytest.param(SMALL + b"\r\nGET / HT", _NEVER_IDLE_SECONDS, id="then half a head"),
        pytest.param(SMALL + b"\r\nhello\r\n\r\n", _NEVER_IDLE_SECONDS, id="then no HTTP"),
    ],
)
async def test_a_client_that_does_not_read_its_answer_is_disconnected(
    app: FastAPI, request_bytes: bytes, keep_alive_seconds: int
) -> None:
    watched = _watched(ConnectionRoom(10), SHORT)
    async with served(app, watched, keep_alive_seconds) as url, _deaf_client(url, request_bytes):
        await asyncio.wait_for(watched.lost.wait(), SOON_SECONDS)


async def test_a_full_server_makes_room_where_only_unread_bytes_are_left(app: FastAPI) -> None:
    watched = _watched(ConnectionRoom(1), ConnectionTimes())
    async with served(app, watched) as url, _deaf_client(url, THEN_CLOSE):
        await asyncio.wait_for(watched.answered.wait(), SOON_SECONDS)
        async with httpx2.AsyncClient() as http:
            assert (await http.get(f"{url}/small")).status_code == 200
        assert watched.lost.is_set()


class _Watched(LimitedProtocol):
    """Holds itself what a client does not read: the system's buffer is as small as can be."""

    answered: ClassVar[asyncio.Event]
    lost: ClassVar[asyncio.Event]

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        _shrink(transport.get_extra_info("socket"), socket.SO_SNDBUF)
        super().connection_made(transport)

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self.answered.set()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self.lost.set()


def _watched(connection_room: ConnectionRoom, connection_times: ConnectionTimes) -> type[_Watched]:
    class Protocol(_Watched):
        room = connection_room
        answer_to = staticmethod(problem_answer)
        times = connection_times
        answered = asyncio.Event()
        lost = asyncio.Event()

    return Protocol


@asynccontextmanager
async def _deaf_client(url: str, request_bytes: bytes) -> AsyncIterator[None]:
    """Sends a request and reads nothing."""
    host, port = url.removeprefix("http://").split(":")
    with socket.socket() as client:
        _shrink(client, socket.SO_RCVBUF)
        client.connect((host, int(port)))
        client.sendall(request_bytes)
        try:
            yield
        finally:
            # A reset frees the server of what it could still send.
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def _shrink(end: socket.socket, buffer: int) -> None:
    end.setsockopt(socket.SOL_SOCKET, buffer, 1)

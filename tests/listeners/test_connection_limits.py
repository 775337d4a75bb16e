"""Clients that connect and then keep the server waiting."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import httpx2
import pytest
import uvicorn
from fastapi import FastAPI
from fastapi.responses import PlainTextResponse
from structlog.testing import capture_logs
from uvicorn.server import ServerState

from control_plane.platform.http.body_limit import BodyLimitMiddleware
from control_plane.platform.http.refusals import problem_answer
from listeners.connection_limits import ConnectionTimes, limited_protocol
from listeners.connection_room import ConnectionRoom
from tests.control_plane.platform.http.real_server import served

SHORT = ConnectionTimes(head_seconds=0.3, linger_seconds=0.3, unread_seconds=0.3)
SOON_SECONDS = 5.0
"""Far more than the times above, and far less than for ever."""
HEAD = b"GET / HTTP/1.1\r\nHost: t\r\n"


@pytest.fixture
def app() -> FastAPI:
    app = FastAPI()

    @app.get("/")
    async def home() -> PlainTextResponse:
        return PlainTextResponse("ok")

    @app.post("/early")
    async def early() -> PlainTextResponse:
        return PlainTextResponse("not read")

    return app


class Client:
    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer

    @classmethod
    async def connected(cls, url: str) -> Client:
        host, port = url.removeprefix("http://").split(":")
        return cls(*await asyncio.open_connection(host, int(port)))

    def send(self, data: bytes) -> None:
        self.writer.write(data)

    async def rest(self) -> bytes:
        """Everything until the server closes the connection."""
        try:
            return await asyncio.wait_for(self.reader.read(), SOON_SECONDS)
        except ConnectionResetError:
            return b""

    async def answer(self) -> bytes:
        return await asyncio.wait_for(self.reader.readuntil(b"\r\n\r\nok"), SOON_SECONDS)


async def trickle(client: Client) -> None:
    """A byte of a header now and then, for ever."""
    while not client.writer.is_closing():
        client.send(b"x")
        await asyncio.sleep(0.02)


async def test_a_connection_without_a_request_is_closed(app: FastAPI) -> None:
    async with served(app, limited_protocol(ConnectionRoom(10), problem_answer, SHORT)) as url:
        client = await Client.connected(url)
        assert await client.rest() == b""


async def test_a_head_that_arrives_byte_by_byte_is_answered_408(app: FastAPI) -> None:
    async with served(app, limited_protocol(ConnectionRoom(10), problem_answer, SHORT)) as url:
        client = await Client.connected(url)
        client.send(HEAD + b"X-Slow: ")
        trickling = asyncio.create_task(trickle(client))
        answer = await client.rest()
        trickling.cancel()
    assert answer.startswith(b"HTTP/1.1 408 ") or answer == b"", "a reset may overtake the answer"


async def test_the_408_names_the_limit(app: FastAPI) -> None:
    async with served(app, limited_protocol(ConnectionRoom(10), problem_answer, SHORT)) as url:
        client = await Client.connected(url)
        client.send(HEAD)
        answer = await client.rest()
    problem = json.loads(answer.partition(b"\r\n\r\n")[2])
    assert (problem["status"], problem["code"]) == (408, "request_not_received")
    assert "within 0.3 s" in problem["detail"]


async def test_a_second_head_has_the_same_time_as_the_first(app: FastAPI) -> None:
    async with served(app, limited_protocol(ConnectionRoom(10), problem_answer, SHORT)) as url:
        client = await Client.connected(url)
        client.send(HEAD + b"\r\n")
        await client.answer()
        client.send(HEAD)
        assert (await client.rest()).startswith(b"HTTP/1.1 408 ")


async def test_an_idle_connection_is_closed_after_the_keep_alive_time(app: FastAPI) -> None:
    protocol = limited_protocol(ConnectionRoom(10), problem_answer)
    async with served(app, protocol, keep_alive_seconds=1) as url:
        client = await Client.connected(url)
        client.send(HEAD + b"\r\n")
        await client.answer()
        assert await client.rest() == b""


async def test_the_rest_of_a_body_whose_answer_was_sent_is_not_awaited_for_long(
    app: FastAPI,
) -> None:
    async with served(app, limited_protocol(ConnectionRoom(10), problem_answer, SHORT)) as url:
        client = await Client.connected(url)
        client.send(b"POST /early HTTP/1.1\r\nHost: t\r\nContent-Length: 1000000\r\n\r\n")
        trickling = asyncio.create_task(trickle(client))
        answer = await client.rest()
        trickling.cancel()
    assert answer.startswith(b"HTTP/1.1 200 ") or answer == b"", "a reset may overtake the answer"


async def test_a_connection_whose_body_came_too_late_is_closed(app: FastAPI) -> None:
    app.add_middleware(BodyLimitMiddleware, max_bytes=100, deadline_seconds=0.1)
    async with served(app, limited_protocol(ConnectionRoom(10), problem_answer)) as url:
        client = await Client.connected(url)
        client.send(b"POST /early HTTP/1.1\r\nHost: t\r\nContent-Length: 10\r\n\r\nabc")
        assert (await client.rest()).startswith(b"HTTP/1.1 408 ")


async def test_the_addresses_of_one_subscriber_are_one_client() -> None:
    protocol = limited_protocol(ConnectionRoom(10), problem_answer)

    def address_of(peer: str) -> str:
        connection: Any = protocol(uvicorn.Config(FastAPI()), ServerState(), {})
        connection.connection_made(asyncio.Transport({"peername": (peer, 1)}))
        return str(connection.address)

    assert address_of("2001:db8::1") == address_of("2001:db8::2") == "2001:db8::/64"
    assert address_of("198.51.100.1") == "198.51.100.1"


async def test_a_full_server_closes_the_connection_that_has_waited_longest(app: FastAPI) -> None:
    async with served(app, limited_protocol(ConnectionRoom(3), problem_answer)) as url:
        slow = [await Client.connected(url) for _ in range(3)]
        for client in slow:
            client.send(HEAD)
        answers = [await _status(url) for _ in range(3)]
        assert answers == [200, 200, 200]
        assert await slow[0].rest() == b""
        slow[-1].send(b"\r\n")
        await slow[-1].answer()


async def test_a_server_that_answers_all_its_connections_refuses_more() -> None:
    app, go_on, all_busy = FastAPI(), asyncio.Event(), asyncio.Barrier(3)

    @app.get("/")
    async def home() -> PlainTextResponse:
        await all_busy.wait()
        await go_on.wait()
        return PlainTextResponse("ok")

    async with served(app, limited_protocol(ConnectionRoom(2), problem_answer)) as url:
        busy = [await Client.connected(url) for _ in range(2)]
        for client in busy:
            client.send(HEAD + b"\r\n")
        await asyncio.wait_for(all_busy.wait(), SOON_SECONDS)
        refused = await (await Client.connected(url)).rest()
        go_on.set()
        for client in busy:
            await client.answer()
    assert refused.startswith(b"HTTP/1.1 503 ")
    assert json.loads(refused.partition(b"\r\n\r\n")[2])["code"] == "too_many_connections"


async def test_a_full_server_writes_one_line_a_second(app: FastAPI) -> None:
    async with served(app, limited_protocol(ConnectionRoom(2), problem_answer)) as url:
        with capture_logs() as lines:
            clients = [await Client.connected(url) for _ in range(50)]
            await _status(url)
    reported = [line for line in lines if line["event"] == "connections_limited"]
    assert len(clients) == 50
    assert 1 <= len(reported) <= 10, "fifty connections in a few seconds at most"


async def _status(url: str) -> int:
    async with httpx2.AsyncClient() as http:
        return (await http.get(url)).status_code

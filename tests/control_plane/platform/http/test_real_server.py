"""What only shows over a real socket, with a client that writes all of its body before it reads."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable

import httpx2
import pytest
from fastapi import FastAPI, Response
from starlette.types import Message, Receive, Scope, Send

from control_plane.platform.errors import TooManyBodies
from control_plane.platform.http.body_limit import BodyLimitMiddleware, HeldBodies
from control_plane.platform.http.request_context import RequestContextMiddleware
from tests.control_plane.platform.http.real_server import served
from tests.runtime.until import until


async def test_the_answer_to_a_20_mb_body_arrives(app: FastAPI) -> None:
    async with served(app) as url, httpx2.AsyncClient(base_url=url) as http:
        answer = await http.post("/v1/agents", content=b" " * 20_000_000)
        chunked = await http.post("/v1/agents", content=_chunks())
        after = await http.get("/healthz")

    assert (answer.status_code, answer.json()["code"]) == (413, "body_too_large")
    assert chunked.status_code == 413
    assert after.status_code == 200


async def test_a_body_that_never_comes_is_408() -> None:
    app = FastAPI()
    app.add_middleware(BodyLimitMiddleware, max_bytes=100, deadline_seconds=0.1)
    app.add_middleware(RequestContextMiddleware)
    async with served(app) as url:
        host, port = url.removeprefix("http://").split(":")
        reader, writer = await asyncio.open_connection(host, int(port))
        writer.write(b"POST / HTTP/1.1\r\nHost: t\r\nContent-Length: 10\r\n\r\nabc")
        status_line = await asyncio.wait_for(reader.readline(), timeout=5)
        writer.close()
        await writer.wait_closed()
    assert status_line.split()[1] == b"408"


async def test_the_api_waits_thirty_seconds_for_a_body(app: FastAPI) -> None:
    [limit] = [each for each in app.user_middleware if each.cls is BodyLimitMiddleware]
    built = BodyLimitMiddleware(app, *limit.args, **limit.kwargs)
    assert built._deadline_seconds == 30


async def test_the_memory_for_half_received_bodies_is_limited() -> None:
    app = FastAPI()
    held = HeldBodies(1_000, 1_000)
    app.add_middleware(BodyLimitMiddleware, max_bytes=600, held=held)

    @app.post("/")
    async def home() -> None: ...

    half = b"POST / HTTP/1.1\r\nHost: t\r\nContent-Length: 600\r\n\r\n" + b" " * 500
    async with served(app) as url, httpx2.AsyncClient(base_url=url) as http:
        host, port = url.removeprefix("http://").split(":")
        slow = [await asyncio.open_connection(host, int(port)) for _ in range(2)]
        for _, writer in slow:
            writer.write(half)

        async def status() -> int:
            return (await http.post("/", content=b"{}")).status_code

        await until(lambda: _equals(status(), 503))
        assert (await http.post("/")).status_code == 200, "without a body it needs no memory"
        for _, writer in slow:
            writer.close()
        await until(lambda: _equals(status(), 200))


async def _equals(found: Awaitable[int], wanted: int) -> bool:
    return await found == wanted


def test_one_address_takes_only_its_share_of_that_memory() -> None:
    held = HeldBodies(most_bytes=1_000, most_bytes_per_address=300)
    with held.of("198.51.100.1") as first, held.of("198.51.100.1") as second:
        first.grow(200)
        with pytest.raises(TooManyBodies):
            second.grow(101)
        with held.of("198.51.100.2") as other:
            other.grow(300)
    with held.of("198.51.100.1") as again:
        again.grow(300)


async def test_the_addresses_of_one_subscriber_share_it() -> None:
    """The second request comes while the first one is being answered."""
    statuses = dict[str, int]()

    async def ask(address: str) -> None:
        async def receive() -> Message:
            return {"type": "http.request", "body": b" " * 200}

        async def send(message: Message) -> None:
            if message["type"] == "http.response.start":
                statuses[address] = message["status"]

        scope: Scope = {
            "type": "http",
            "method": "POST",
            "path": "/",
            "client": (address, 1),
            "headers": [],
        }
        await limited(scope, receive, send)

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["client"][0] == "2001:db8::1":
            await ask("2001:db8::2")
            await ask("2001:db8:0:1::1")
        await Response()(scope, receive, send)

    limited = BodyLimitMiddleware(answer, max_bytes=1_000, held=HeldBodies(1_000, 300))
    await ask("2001:db8::1")
    assert statuses == {"2001:db8::1": 200, "2001:db8::2": 503, "2001:db8:0:1::1": 200}


@pytest.mark.parametrize(
    "request_bytes",
    [
        b"hello\r\n\r\n",
        b"GET /healthz HTTP/1.1\r\nHost: t\r\nA header without a colon\r\n\r\n",
        b"GET /healthz HTTP/1.1\r\nHost: t\r\nContent-Length: S\r\n\r\n",
        b"GET /healthz HTTP/1.1\r\nHost: t\r\nX: " + b"x" * 100_000,
        b"POST /v1/calls HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\nno size\r\n",
        b"POST /v1/calls HTTP/1.1\r\nHost: t\r\nContent-Length: 5\r\n"
        b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /healthz HTTP/1.1\r\nHost: t\r\n\r\n",
    ],
)
async def test_what_is_no_http_gets_a_problem_document(app: FastAPI, request_bytes: bytes) -> None:
    head, body = await _answer(app, request_bytes)
    status_line, *header_lines = head.decode().split("\r\n")
    headers = dict(line.lower().split(": ", 1) for line in header_lines)
    problem = json.loads(body)
    assert status_line == "HTTP/1.1 400 Bad Request"
    assert headers["content-type"] == "application/problem+json"
    assert (problem["code"], problem["errors"][0]["field"]) == ("invalid_request", "request")
    assert problem["request_id"] == headers["x-request-id"]
    assert headers["x-content-type-options"] == "nosniff"


async def test_a_head_request_that_is_no_http_gets_the_head_of_one(
    app: FastAPI, caplog: pytest.LogCaptureFixture
) -> None:
    head, body = await _answer(
        app,
        b"HEAD / HTTP/1.1\r\nHost: t\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n",
    )
    assert head.startswith(b"HTTP/1.1 400 ")
    assert body == b""
    assert "Traceback" not in caplog.text


async def _answer(app: FastAPI, request_bytes: bytes) -> tuple[bytes, bytes]:
    """The head and the body of all that comes until the server closes the connection."""
    async with served(app) as url:
        host, port = url.removeprefix("http://").split(":")
        reader, writer = await asyncio.open_connection(host, int(port))
        writer.write(request_bytes)
        head, _, body = (await asyncio.wait_for(reader.read(), timeout=5)).partition(b"\r\n\r\n")
        writer.close()
        await writer.wait_closed()
    return head, body


async def _chunks() -> AsyncIterator[bytes]:
    for _ in range(20):
        yield b" " * 1_000_000

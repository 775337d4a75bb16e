"""What the application sees of a request that came through a proxy."""

from __future__ import annotations

from collections.abc import Sequence

import httpx2
import pytest
from fastapi import FastAPI, Request
from structlog.testing import capture_logs

from control_plane.platform.http.client_address import TrustedProxies
from control_plane.platform.http.forwarded_headers import ForwardedHeadersMiddleware

Headers = Sequence[tuple[str, str]]


async def seen(peer: str, *requests: Headers) -> list[tuple[str, str]]:
    """The client's address and the scheme, for each of the requests."""
    app = FastAPI()

    @app.get("/")
    async def show(request: Request) -> tuple[str, str]:
        assert request.client is not None
        return (request.client.host, request.base_url.scheme)

    app.add_middleware(ForwardedHeadersMiddleware, trusted=TrustedProxies(("10.0.0.1",)))
    transport = httpx2.ASGITransport(app=app, client=(peer, 50000))
    async with httpx2.AsyncClient(transport=transport, base_url="http://switchboard.test") as http:
        answers = [await http.get("/", headers=list(headers)) for headers in requests]
    return [tuple(answer.json()) for answer in answers]


FORWARDED = [("X-Forwarded-For", "198.51.100.7"), ("X-Forwarded-Proto", "https")]


async def test_the_client_is_the_one_that_a_trusted_proxy_names() -> None:
    assert await seen("10.0.0.1", FORWARDED) == [("198.51.100.7", "https")]


async def test_several_headers_are_one_list() -> None:
    twice = [("X-Forwarded-For", "1.1.1.1"), ("X-Forwarded-For", "198.51.100.7")]
    assert await seen("10.0.0.1", twice) == [("198.51.100.7", "http")]


async def test_without_the_headers_the_client_is_the_peer() -> None:
    assert await seen("10.0.0.1", []) == [("10.0.0.1", "http")]


async def test_a_peer_that_is_not_trusted_is_warned_about_once() -> None:
    with capture_logs() as logs:
        found = await seen("203.0.113.9", FORWARDED, FORWARDED, [])
    assert found == [("203.0.113.9", "http")] * 3
    (warning,) = logs
    assert (warning["event"], warning["peer"]) == ("forwarded_header_ignored", "203.0.113.9")
    assert "SWITCHBOARD_TRUSTED_PROXIES" in warning["remedy"]


@pytest.mark.parametrize("headers", [[], FORWARDED])
async def test_a_trusted_peer_is_not_warned_about(headers: Headers) -> None:
    with capture_logs() as logs:
        await seen("10.0.0.1", headers)
    assert logs == []

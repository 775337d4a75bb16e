"""Which websockets are opened for tenants, and how they are bounded."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from aiohttp import web
from websockets.asyncio.client import ClientConnection
from websockets.exceptions import ConnectionClosed, InvalidStatus

from outbound.address import AddressRefused
from outbound.guarded_network import GuardedNetwork
from outbound.policy import OutboundPolicy
from outbound.web_socket import guarded_web_socket
from tests.outbound.blocked_addresses import blocked_addresses
from tests.outbound.names import FakeNames, no_answer_in_time
from tests.outbound.self_signed import self_signed_certificate

INTERNET = OutboundPolicy()
THIS_MACHINE = OutboundPolicy(("127.0.0.1/32",))
NAME = "voice.example.com"


@dataclass
class Site:
    """A server that echoes the messages of websockets, and counts what reaches it."""

    client_tls: ssl.SSLContext
    port: int = 0
    requests: list[web.BaseRequest] = field(default_factory=list)
    gate: asyncio.Event = field(default_factory=asyncio.Event)

    async def answer(self, request: web.BaseRequest) -> web.StreamResponse:
        self.requests.append(request)
        match request.path:
            case "/redirect":
                raise web.HTTPFound(f"wss://{NAME}:{self.port}/")
            case "/closed":
                return web.Response(status=403)
            case "/silent":
                await self.gate.wait()
                return web.Response(status=503)
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        async for message in socket:
            await socket.send_str(message.data * (100_000 if request.path == "/large" else 1))
        return socket


@pytest.fixture
async def site(tmp_path: Path) -> AsyncIterator[Site]:
    server_tls, client_tls = self_signed_certificate(tmp_path, NAME)
    site = Site(client_tls)
    runner = web.ServerRunner(web.Server(site.answer), shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0, ssl_context=server_tls).start()
    site.port = runner.addresses[0][1]
    yield site
    site.gate.set()
    await runner.cleanup()


def names(*answers: str) -> FakeNames:
    return FakeNames(tuple((answer,) for answer in answers))


async def opened(
    site: Site, path: str, names: FakeNames, policy: OutboundPolicy = THIS_MACHINE
) -> ClientConnection:
    return await guarded_web_socket(
        f"wss://{NAME}:{site.port}{path}",
        policy,
        connect_seconds=0.5,
        resolver=names.resolve,
        tls=site.client_tls,
    )


@pytest.mark.parametrize("url", blocked_addresses("wss"), ids=ascii)
async def test_a_blocked_form_is_never_dialled(url: str) -> None:
    found = FakeNames()
    with pytest.raises(AddressRefused):
        await guarded_web_socket(url, INTERNET, connect_seconds=0.5, resolver=found.resolve)
    assert found.asked == []


@pytest.mark.parametrize("scheme", ["ws", "https", "http"])
async def test_only_encrypted_websockets_are_opened(scheme: str) -> None:
    with pytest.raises(AddressRefused, match="must begin with wss://"):
        await guarded_web_socket(f"{scheme}://{NAME}/", INTERNET, connect_seconds=0.5)


async def test_a_name_that_leads_to_a_private_address_is_refused(site: Site) -> None:
    with pytest.raises(AddressRefused, match=r"leads to 127\.0\.0\.1"):
        await opened(site, "/", names("127.0.0.1"), INTERNET)
    assert site.requests == []


async def test_the_address_that_was_checked_is_dialled_under_the_name(site: Site) -> None:
    """A second look-up would find a private address. The certificate is for the name."""
    found = names("127.0.0.1", "10.0.0.1")
    connection = await opened(site, "/path?key=secret#here", found)
    await connection.send("hello")
    assert await connection.recv() == "hello"
    await connection.close()
    [request] = site.requests
    assert request.headers["Host"] == f"{NAME}:{site.port}"
    assert request.path_qs == "/path?key=secret"
    assert "Sec-WebSocket-Extensions" not in request.headers, "compression is offered"
    assert found.asked == [NAME]


async def test_the_certificate_must_be_for_the_name(site: Site) -> None:
    with pytest.raises(ssl.SSLCertVerificationError):
        await guarded_web_socket(
            f"wss://other.example.com:{site.port}/",
            THIS_MACHINE,
            connect_seconds=0.5,
            resolver=names("127.0.0.1").resolve,
            tls=site.client_tls,
        )


async def test_a_redirect_is_not_followed(site: Site) -> None:
    with pytest.raises(InvalidStatus) as refused:
        await opened(site, "/redirect", names("127.0.0.1"))
    assert refused.value.response.status_code == 302
    assert len(site.requests) == 1


async def test_a_refusal_tells_its_status(site: Site) -> None:
    with pytest.raises(InvalidStatus) as refused:
        await opened(site, "/closed", names("127.0.0.1"))
    assert refused.value.response.status_code == 403


async def test_a_server_that_does_not_answer_is_left(site: Site) -> None:
    with pytest.raises(TimeoutError):
        await opened(site, "/silent", names("127.0.0.1"))


async def test_a_name_without_address_cannot_be_connected_to() -> None:
    for found in (FakeNames().resolve, no_answer_in_time):
        with pytest.raises((OSError, TimeoutError)):
            await guarded_web_socket(
                f"wss://{NAME}/", INTERNET, connect_seconds=0.5, resolver=found
            )


async def test_an_unreachable_address_is_followed_by_the_next(site: Site) -> None:
    policy = OutboundPolicy(("127.0.0.0/8",))
    connection = await opened(site, "/", FakeNames((("127.0.0.2", "127.0.0.1"),)), policy)
    await connection.close()


async def test_a_message_that_is_too_large_ends_the_connection(site: Site) -> None:
    connection = await opened(site, "/large", names("127.0.0.1"))
    await connection.send("0123456789ab")
    with pytest.raises(ConnectionClosed):
        await connection.recv()


async def test_a_proxy_of_the_environment_is_not_used(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable in ("HTTPS_PROXY", "https_proxy", "ALL_PROXY", "WSS_PROXY", "wss_proxy"):
        monkeypatch.setenv(variable, "http://127.0.0.1:1")
    await (await opened(site, "/", names("127.0.0.1"))).close()


async def test_the_network_of_a_process_has_the_same_rules(site: Site) -> None:
    network = GuardedNetwork(INTERNET)
    with pytest.raises(AddressRefused):
        await network.web_socket(f"wss://127.0.0.1:{site.port}/", "t", connect_seconds=0.5)
    network.close()

"""What is refused when an address is dialled, and how a request is bounded."""

from __future__ import annotations

import asyncio
import gzip
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx2
import pytest
from aiohttp import web

from outbound.address import AddressRefused, check_address
from outbound.client import ResponseTooLarge, guarded_client, read_limited
from outbound.policy import OutboundPolicy
from tests.outbound.blocked_addresses import blocked_addresses
from tests.outbound.names import FakeNames, no_answer_in_time
from tests.outbound.self_signed import self_signed_certificate

INTERNET = OutboundPolicy()
THIS_MACHINE = OutboundPolicy(("127.0.0.1/32",))
PUBLIC = "93.184.216.34"


class Site:
    """An HTTP server on this machine that counts what reaches it."""

    def __init__(self) -> None:
        self.requests: list[web.BaseRequest] = []
        self.port = 0
        self.gate = asyncio.Event()

    async def answer(self, request: web.BaseRequest) -> web.StreamResponse:
        self.requests.append(request)
        match request.path:
            case "/redirect":
                raise web.HTTPFound("http://169.254.169.254/latest/meta-data")
            case "/large":
                return web.Response(body=b"x" * 10_000)
            case "/gzip":
                return web.Response(
                    body=gzip.compress(b"x" * 10_000), headers={"Content-Encoding": "gzip"}
                )
            case "/silent":
                await self.gate.wait()
            case "/dripping":
                response = web.StreamResponse()
                await response.prepare(request)
                await response.write(b"x")
                await self.gate.wait()
                return response
        return web.Response(text=f"you asked {request.headers['Host']}")


@pytest.fixture
async def site() -> AsyncIterator[Site]:
    async for site in _serve(None):
        yield site


async def _serve(tls: ssl.SSLContext | None) -> AsyncIterator[Site]:
    site = Site()
    runner = web.ServerRunner(web.Server(site.answer))
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0, ssl_context=tls).start()
    site.port = runner.addresses[0][1]
    yield site
    site.gate.set()
    await runner.cleanup()


@pytest.mark.parametrize("url", blocked_addresses("http"), ids=ascii)
async def test_a_blocked_form_is_never_dialled(url: str) -> None:
    names = FakeNames()
    async with guarded_client(INTERNET, resolver=names.resolve) as client:
        # httpx2 refuses what it cannot even read.
        with pytest.raises((AddressRefused, httpx2.InvalidURL)):
            await client.get(url)
    assert names.asked == []


async def test_what_was_public_when_saved_and_is_private_when_dialled_is_refused(
    site: Site,
) -> None:
    names = FakeNames(((PUBLIC,), ("127.0.0.1",)))
    url = f"https://rebind.example.com:{site.port}/"
    await check_address(url, INTERNET, resolver=names.resolve)
    async with guarded_client(INTERNET, resolver=names.resolve) as client:
        with pytest.raises(AddressRefused, match=r"leads to 127\.0\.0\.1"):
            await client.get(url)
    assert site.requests == []


async def test_the_address_that_was_checked_is_the_one_dialled(site: Site) -> None:
    """A second look-up would find a private address."""
    names = FakeNames((("127.0.0.1",), ("10.0.0.1",)))
    async with guarded_client(THIS_MACHINE, resolver=names.resolve) as client:
        answer = await client.get(f"http://crm.example.com:{site.port}/")
    assert answer.text == f"you asked crm.example.com:{site.port}"
    assert names.asked == ["crm.example.com"]


async def test_one_private_address_among_public_ones_is_enough_to_refuse(site: Site) -> None:
    names = FakeNames((("127.0.0.1", "10.0.0.1"),))
    async with guarded_client(THIS_MACHINE, resolver=names.resolve) as client:
        with pytest.raises(AddressRefused, match=r"10\.0\.0\.1"):
            await client.get(f"http://crm.example.com:{site.port}/")
    assert site.requests == []


async def test_an_unreachable_address_is_followed_by_the_next(site: Site) -> None:
    names = FakeNames((("::1", "127.0.0.1"),))
    policy = OutboundPolicy(("127.0.0.1/32", "::1/128"))
    async with guarded_client(policy, resolver=names.resolve) as client:
        answer = await client.get(f"http://crm.example.com:{site.port}/")
    assert answer.text == f"you asked crm.example.com:{site.port}"
    assert len(site.requests) == 1


async def test_a_redirect_is_not_followed_and_when_asked_for_is_checked(site: Site) -> None:
    async with guarded_client(THIS_MACHINE) as client:
        url = f"http://127.0.0.1:{site.port}/redirect"
        assert (await client.get(url)).status_code == 302
        with pytest.raises(AddressRefused, match=r"169\.254\.169\.254"):
            await client.get(url, follow_redirects=True)


async def test_a_user_name_in_the_address_is_refused(site: Site) -> None:
    async with guarded_client(THIS_MACHINE) as client:
        with pytest.raises(AddressRefused, match="user name"):
            await client.get(f"http://me:secret@127.0.0.1:{site.port}/")
    assert site.requests == []


async def test_a_proxy_of_the_environment_is_not_used(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "HTTPS_PROXY"):
        monkeypatch.setenv(variable, f"http://127.0.0.1:{site.port}")
    async with guarded_client(INTERNET) as client:
        with pytest.raises(AddressRefused):
            await client.get("http://10.0.0.1/")
    assert site.requests == []


async def test_tls_is_checked_for_the_name_and_not_for_the_dialled_address(
    tmp_path: Path,
) -> None:
    server, client_tls = self_signed_certificate(tmp_path, "crm.example.com")
    names = FakeNames((("127.0.0.1",),))
    async for site in _serve(server):
        async with guarded_client(THIS_MACHINE, resolver=names.resolve, tls=client_tls) as client:
            answer = await client.get(f"https://crm.example.com:{site.port}/")
            assert answer.text == f"you asked crm.example.com:{site.port}"
            with pytest.raises(httpx2.ConnectError, match="certificate"):
                await client.get(f"https://other.example.com:{site.port}/")


async def test_a_name_without_address_cannot_be_connected_to() -> None:
    async with guarded_client(INTERNET, resolver=FakeNames().resolve) as client:
        with pytest.raises(httpx2.ConnectError, match="has no address"):
            await client.get("https://soon.example.com/")
    async with guarded_client(INTERNET, resolver=no_answer_in_time) as client:
        with pytest.raises(httpx2.ConnectTimeout):
            await client.get("https://slow.example.com/")


@pytest.mark.parametrize("path", ["/silent", "/dripping"])
async def test_a_request_is_bounded_in_time_from_first_to_last_byte(site: Site, path: str) -> None:
    async with guarded_client(THIS_MACHINE, timeout_seconds=0.2) as client:
        with pytest.raises(httpx2.TimeoutException):
            await client.get(f"http://127.0.0.1:{site.port}{path}")


async def test_a_response_is_read_up_to_a_limit(site: Site) -> None:
    url = f"http://127.0.0.1:{site.port}/large"
    async with guarded_client(THIS_MACHINE) as client:
        async with client.stream("GET", url) as response:
            assert len(await read_limited(response, 10_000)) == 10_000
        async with client.stream("GET", url) as response:
            with pytest.raises(ResponseTooLarge, match="9999 bytes"):
                await read_limited(response, 9_999)


async def test_a_client_reads_no_more_than_its_own_limit(site: Site) -> None:
    async with guarded_client(THIS_MACHINE, max_response_bytes=9_999) as client:
        with pytest.raises(ResponseTooLarge):
            await client.get(f"http://127.0.0.1:{site.port}/large")


async def test_a_response_that_was_read_may_be_drained(site: Site) -> None:
    """OpenAI's SDK reads a stream to its end marker, and then the rest of the body."""
    url = f"http://127.0.0.1:{site.port}/"
    async with guarded_client(THIS_MACHINE) as client, client.stream("GET", url) as response:
        assert isinstance(response.stream, httpx2.AsyncByteStream)
        assert await anext(aiter(response.stream))
        assert [chunk async for chunk in response.stream] == []


async def test_a_compressed_response_is_neither_asked_for_nor_taken(site: Site) -> None:
    async with guarded_client(THIS_MACHINE) as client:
        with pytest.raises(httpx2.DecodingError):
            await client.get(f"http://127.0.0.1:{site.port}/gzip")
    assert site.requests[0].headers["Accept-Encoding"] == "identity"


async def test_a_connection_is_used_again(site: Site) -> None:
    names = FakeNames((("127.0.0.1",),))
    async with guarded_client(THIS_MACHINE, resolver=names.resolve) as client:
        for _ in range(2):
            assert (await client.get(f"http://crm.example.com:{site.port}/")).status_code == 200
    assert len(names.asked) == 1


async def test_a_server_that_breaks_tls_after_the_handshake_is_an_error_of_the_request(
    tmp_path: Path,
) -> None:
    """It asks its clients for certificates, which is said to them after their handshake."""
    server, client_tls = self_signed_certificate(tmp_path, "crm.example.com")
    server.verify_mode = ssl.CERT_REQUIRED
    names = FakeNames((("127.0.0.1",),))
    async with (
        _tls_spoken_by_hand(server) as port,
        guarded_client(THIS_MACHINE, resolver=names.resolve, tls=client_tls) as client,
    ):
        with pytest.raises(httpx2.ReadError, match="certificate required"):
            await client.post(f"https://crm.example.com:{port}/", content=b"{}")


@asynccontextmanager
async def _tls_spoken_by_hand(tls: ssl.SSLContext) -> AsyncIterator[int]:
    """A server that keeps the connection open after its alert. asyncio's own would close it, and
    the client might find that before it has read the alert."""
    done = asyncio.Event()

    async def refuse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        spoken = tls.wrap_bio(incoming, outgoing, server_side=True)
        is_refused = False
        while not is_refused:
            try:
                spoken.do_handshake()
            except ssl.SSLWantReadError:
                writer.write(outgoing.read())
                incoming.write(await reader.read(65_536))
            except ssl.SSLError:
                is_refused = True
        writer.write(outgoing.read())
        await done.wait()
        writer.close()

    site = await asyncio.start_server(refuse, "127.0.0.1", 0)
    try:
        yield site.sockets[0].getsockname()[1]
    finally:
        done.set()
        site.close()

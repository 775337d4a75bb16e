"""The only HTTP client for addresses that tenants entered.

It connects through ``GuardedBackend``, follows no redirect, ignores proxy settings of the
environment, and limits each request in time and size.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterable, AsyncIterator, Iterator
from contextlib import contextmanager
from functools import cache

import httpcore2
import httpx2

from outbound.address import parse_address
from outbound.guarded_backend import GuardedBackend
from outbound.policy import OutboundPolicy
from outbound.resolver import Resolver, resolve

MAX_RESPONSE_BYTES = 16 * 1024 * 1024
_SCHEMES = frozenset({"http", "https"})


class ResponseTooLarge(httpx2.HTTPError):
    """The response is larger than allowed."""


def guarded_client(
    policy: OutboundPolicy,
    *,
    timeout_seconds: float = 10.0,
    max_response_bytes: int = MAX_RESPONSE_BYTES,
    resolver: Resolver = resolve,
    tls: ssl.SSLContext | None = None,
) -> httpx2.AsyncClient:
    """A client for tenants' addresses. The caller must close it.

    Requests raise ``AddressRefused``, ``ResponseTooLarge``, or another ``httpx2.HTTPError``.

    Args:
        timeout_seconds: for the whole request, from the look-up to the last byte.
        max_response_bytes: the maximum size of a response's body.
        tls: replaces the system's certificate authorities.
    """
    transport = _GuardedTransport(
        policy, resolver, tls or system_tls(), timeout_seconds, max_response_bytes
    )
    return httpx2.AsyncClient(
        transport=transport,
        trust_env=False,
        follow_redirects=False,
        timeout=timeout_seconds,
        # A few compressed bytes can become gigabytes.
        headers={"Accept-Encoding": "identity"},
    )


async def read_limited(response_stream: httpx2.Response, max_bytes: int) -> bytes:
    """The body of a response that ``client.stream`` opened.

    Raises:
        ResponseTooLarge: it has more than ``max_bytes``.
        httpx2.HTTPError: it cannot be read completely.
    """
    body = bytearray()
    async for chunk in response_stream.aiter_bytes():
        body += chunk
        if len(body) > max_bytes:
            raise ResponseTooLarge(f"The response has more than {max_bytes} bytes.")
    return bytes(body)


@cache
def system_tls() -> ssl.SSLContext:
    """Made once per process, because reading the certificate authorities takes milliseconds."""
    return httpx2.create_ssl_context()


class _GuardedTransport(httpx2.AsyncBaseTransport):
    def __init__(
        self,
        policy: OutboundPolicy,
        resolver: Resolver,
        tls: ssl.SSLContext,
        timeout_seconds: float,
        max_response_bytes: int,
    ) -> None:
        self._policy = policy
        self._timeout_seconds = timeout_seconds
        self._max_response_bytes = max_response_bytes
        self._pool = httpcore2.AsyncConnectionPool(
            ssl_context=tls, network_backend=GuardedBackend(policy, resolver)
        )

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        parse_address(str(request.url), self._policy, schemes=_SCHEMES)
        assert isinstance(request.stream, httpx2.AsyncByteStream)
        deadline = asyncio.get_running_loop().time() + self._timeout_seconds
        with _httpx_errors():
            async with asyncio.timeout_at(deadline):
                answer = await self._pool.handle_async_request(
                    httpcore2.Request(
                        method=request.method,
                        url=httpcore2.URL(
                            scheme=request.url.raw_scheme,
                            host=request.url.raw_host,
                            port=request.url.port,
                            target=request.url.raw_path,
                        ),
                        headers=request.headers.raw,
                        content=request.stream,
                        extensions=request.extensions,
                    )
                )
        response = httpx2.Response(
            status_code=answer.status,
            headers=answer.headers,
            stream=_GuardedStream(answer, deadline, self._max_response_bytes),
            extensions=answer.extensions,
        )
        encoding = response.headers.get("content-encoding", "identity")
        if encoding.strip().lower() not in ("", "identity"):
            await answer.aclose()
            raise httpx2.DecodingError("The response is compressed, which was not asked for.")
        return response

    async def aclose(self) -> None:
        await self._pool.aclose()


class _GuardedStream(httpx2.AsyncByteStream):
    """A body with the request's deadline and size limit."""

    def __init__(self, answer: httpcore2.Response, deadline: float, max_bytes: int) -> None:
        self._answer = answer
        self._deadline = deadline
        self._max_bytes = max_bytes
        self._size = 0

    async def __aiter__(self) -> AsyncIterator[bytes]:
        # Not ``aiter_stream``, which works only once: OpenAI's SDK drains what it has read.
        assert isinstance(self._answer.stream, AsyncIterable)
        chunks = aiter(self._answer.stream)
        while True:
            with _httpx_errors():
                async with asyncio.timeout_at(self._deadline):
                    chunk = await anext(chunks, None)
            if chunk is None:
                return
            self._size += len(chunk)
            if self._size > self._max_bytes:
                raise ResponseTooLarge(f"The response has more than {self._max_bytes} bytes.")
            yield chunk

    async def aclose(self) -> None:
        await self._answer.aclose()


@contextmanager
def _httpx_errors() -> Iterator[None]:
    """Turns the transport's errors into those that users of httpx2 catch."""
    try:
        yield
    except TimeoutError as error:
        raise httpx2.ReadTimeout("The request took too long") from error
    except httpcore2.ConnectTimeout as error:
        raise httpx2.ConnectTimeout(str(error)) from error
    except httpcore2.PoolTimeout as error:
        raise httpx2.PoolTimeout(str(error)) from error
    except httpcore2.WriteTimeout as error:
        raise httpx2.WriteTimeout(str(error)) from error
    except httpcore2.TimeoutException as error:
        raise httpx2.ReadTimeout(str(error)) from error
    except httpcore2.ConnectError as error:
        raise httpx2.ConnectError(str(error)) from error
    except httpcore2.NetworkError as error:
        raise httpx2.ReadError(str(error)) from error
    except httpcore2.ProtocolError as error:
        raise httpx2.RemoteProtocolError(str(error)) from error
    except httpcore2.UnsupportedProtocol as error:
        raise httpx2.UnsupportedProtocol(str(error)) from error
    except ssl.SSLError as error:
        # httpcore2 translates those of the handshake only. A server that wants a certificate of
        # its client says so after it (RFC 8446, 4.4.2.4).
        raise httpx2.ReadError(str(error)) from error

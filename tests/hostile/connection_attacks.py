"""What strangers do to the API's connections, byte by byte."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from urllib.parse import urlsplit

from tests.hostile.target import Target

_TO_SECONDS = 5
"""Times are told in steps of it: a busy machine is late."""


class ConnectionAttacks:
    """Each method is one try, and returns what came of it."""

    def __init__(self, target: Target) -> None:
        self._address = urlsplit(target.url)

    async def hold_connection(self) -> str:
        """A header that never ends."""
        async with self._opened() as (reader, writer):
            writer.write(b"POST /v1/calls HTTP/1.1\r\nHost: ")
            began_at = time.monotonic()
            await reader.read()
            return f"closed after {_since(began_at)} s"

    async def send_half_a_body(self) -> str:
        async with self._opened() as (reader, writer):
            head = (
                b"Host: localhost\r\nContent-Type: application/json\r\nContent-Length: 9000\r\n\r\n"
            )
            writer.write(b"POST /v1/calls HTTP/1.1\r\n" + head + b'{"agent_id": "')
            began_at = time.monotonic()
            status = await _status(reader)
            await reader.read()
            return f"{status} after {_since(began_at)} s"

    async def stay_idle(self) -> str:
        """Ask something harmless, and never again."""
        async with self._opened() as (reader, writer):
            writer.write(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
            await _status(reader)
            began_at = time.monotonic()
            await reader.read()
            return f"closed after {_since(began_at)} s"

    async def frame_a_body_twice(self) -> str:
        """A proxy that goes by the other length would take the rest for a request of its own."""
        async with self._opened() as (reader, writer):
            writer.write(
                b"POST /v1/calls HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n"
                b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
                b"GET /v1/agents HTTP/1.1\r\nHost: localhost\r\n\r\n"
            )
            status, rest = await _status(reader), await reader.read()
            return f"{status} and more" if b"HTTP/1.1 " in rest else status

    @asynccontextmanager
    async def _opened(self) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
        reader, writer = await asyncio.open_connection(self._address.hostname, self._address.port)
        try:
            yield reader, writer
        finally:
            writer.close()


async def _status(reader: asyncio.StreamReader) -> str:
    return (await reader.readline()).decode("latin-1").partition(" ")[2][:3]


def _since(began_at: float) -> int:
    return _TO_SECONDS * round((time.monotonic() - began_at) / _TO_SECONDS)

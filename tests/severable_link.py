"""A way to a server that a test can cut: what goes through it is then neither passed on nor
refused, as in a network that drops packets."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from urllib.parse import urlsplit, urlunsplit

CHUNK_BYTES = 65_536


class SeverableLink:
    """``url`` leads to the same server as the address that the link was opened with."""

    def __init__(self, url: str) -> None:
        self._parts = urlsplit(url)
        self._whole = asyncio.Event()
        self._whole.set()
        self.url = ""

    def cut(self) -> None:
        self._whole.clear()

    def mend(self) -> None:
        self._whole.set()

    async def open(self) -> asyncio.Server:
        server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        credentials, at, _ = self._parts.netloc.rpartition("@")
        self.url = urlunsplit(self._parts._replace(netloc=f"{credentials}{at}127.0.0.1:{port}"))
        return server

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await self._whole.wait()
        there, back = await asyncio.open_connection(self._parts.hostname, self._parts.port)
        ways = asyncio.gather(self._pass_on(reader, back), self._pass_on(there, writer))
        try:
            await ways
        except OSError:
            pass  # One of the two has gone; the other one is told below.
        finally:
            ways.cancel()
            back.close()
            writer.close()

    async def _pass_on(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while chunk := await reader.read(CHUNK_BYTES):
            await self._whole.wait()
            writer.write(chunk)
            await writer.drain()
        writer.close()


@asynccontextmanager
async def severable_link(url: str) -> AsyncIterator[SeverableLink]:
    link = SeverableLink(url)
    server = await link.open()
    try:
        yield link
    finally:
        link.mend()
        server.close()

"""The HTTP client that vendors' libraries are given. Making one takes 50 ms, so not on the event
loop."""

from __future__ import annotations

import asyncio
import functools
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import httpx2


@asynccontextmanager
async def connection(timeout_seconds: float) -> AsyncIterator[httpx2.AsyncClient]:
    import httpx2

    tls = await asyncio.to_thread(_tls_context)
    async with httpx2.AsyncClient(verify=tls, timeout=timeout_seconds) as http:
        yield http


@functools.cache
def _tls_context() -> ssl.SSLContext:
    import httpx2

    return httpx2.create_ssl_context()

"""The HTTP client that the providers' libraries use."""

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
async def connection(
    timeout_seconds: float, *, follow_redirects: bool = False
) -> AsyncIterator[httpx2.AsyncClient]:
    """
    Args:
        timeout_seconds: for each step: connecting, sending, and each wait for more of the answer.
    """
    import httpx2

    # Loading the certificates takes 50 ms.
    tls = await asyncio.to_thread(_tls_context)
    async with httpx2.AsyncClient(
        verify=tls, timeout=timeout_seconds, follow_redirects=follow_redirects
    ) as http:
        yield http


@functools.cache
def _tls_context() -> ssl.SSLContext:
    import httpx2

    return httpx2.create_ssl_context()

"""Name resolution off the event loop."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from ipaddress import IPv4Address, IPv6Address, ip_address

IpAddress = IPv4Address | IPv6Address
Resolver = Callable[[str], Awaitable[tuple[IpAddress, ...]]]
"""The IP addresses of a name, most preferred first; empty if it has none."""

DEADLINE_SECONDS = 2.0
_THREADS = 16


async def resolve(host: str) -> tuple[IpAddress, ...]:
    """The IP addresses of ``host`` from the system's resolver; empty if there are none.

    Raises:
        TimeoutError: no answer within ``DEADLINE_SECONDS``.
    """
    loop = asyncio.get_running_loop()
    async with asyncio.timeout(DEADLINE_SECONDS):
        return await loop.run_in_executor(_resolver_threads(), _look_up, host)


@cache
def _resolver_threads() -> ThreadPoolExecutor:
    """Separate threads, so that a slow name server does not occupy those of the event loop."""
    return ThreadPoolExecutor(_THREADS, thread_name_prefix="resolver")


def _look_up(host: str) -> tuple[IpAddress, ...]:
    try:
        found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        return ()
    return tuple(dict.fromkeys(ip_address(entry[4][0]) for entry in found))

"""Name resolution off the event loop."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import Awaitable, Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cache, partial
from ipaddress import IPv4Address, IPv6Address, ip_address

IpAddress = IPv4Address | IPv6Address
Resolver = Callable[[str], Awaitable[tuple[IpAddress, ...]]]
"""The IP addresses of a name, most preferred first; empty if it has none."""

DEADLINE_SECONDS = 2.0
_THREADS = 256
"""They only wait, and begin when they are needed."""
_PER_TENANT = 4
"""Little, so that many tenants with slow names are needed to occupy all threads."""


def _look_up(host: str) -> tuple[IpAddress, ...]:
    try:
        found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        return ()
    return tuple(dict.fromkeys(ip_address(entry[4][0]) for entry in found))


@dataclass
class _Share:
    """The look-ups of one tenant."""

    free: asyncio.Semaphore
    users: int = field(default=0)
    """Look-ups that wait or run. At 0 the share is removed."""


class SharedResolver:
    """The system's resolver for many tenants.

    A name server that does not answer keeps a thread busy for much longer than anybody waits. So
    each tenant has a share of the threads, and its further names wait for one of its own.

    Args:
        threads: look-ups at once, of all tenants together.
        per_tenant: of one of them.
        look_up: blocks; returns nothing for a name that has no address.
    """

    def __init__(
        self,
        *,
        threads: int = _THREADS,
        per_tenant: int = _PER_TENANT,
        deadline_seconds: float = DEADLINE_SECONDS,
        look_up: Callable[[str], tuple[IpAddress, ...]] = _look_up,
    ) -> None:
        # Separate threads, so that a slow name server does not occupy those of the event loop.
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix="resolver")
        self._per_tenant = per_tenant
        self._deadline_seconds = deadline_seconds
        self._look_up = look_up
        self._shares: dict[str, _Share] = {}

    def of(self, tenant: str) -> Resolver:
        """The look-ups of one tenant.

        They raise ``TimeoutError``: no answer in time, which includes the wait for a thread.
        """
        return partial(self._resolve, tenant)

    def close(self) -> None:
        """Start no look-up any more. Those that run are not waited for."""
        self._threads.shutdown(wait=False, cancel_futures=True)

    async def _resolve(self, tenant: str, host: str) -> tuple[IpAddress, ...]:
        loop = asyncio.get_running_loop()
        share = self._shares.setdefault(tenant, _Share(asyncio.Semaphore(self._per_tenant)))
        share.users += 1
        running: Future[tuple[IpAddress, ...]] | None = None
        try:
            async with asyncio.timeout(self._deadline_seconds):
                await share.free.acquire()
                running = self._threads.submit(self._look_up, host)
                # When the thread has ended, which may be long after the deadline.
                running.add_done_callback(
                    lambda _: _call_in(loop, partial(self._ended, tenant, share))
                )
                return await asyncio.wrap_future(running)
        finally:
            if running is None:
                self._left(tenant, share)

    def _ended(self, tenant: str, share: _Share) -> None:
        share.free.release()
        self._left(tenant, share)

    def _left(self, tenant: str, share: _Share) -> None:
        share.users -= 1
        if not share.users:
            del self._shares[tenant]


def _call_in(loop: asyncio.AbstractEventLoop, act: Callable[[], None]) -> None:
    # A process that stops closes its loop before a slow look-up ends.
    with contextlib.suppress(RuntimeError):
        loop.call_soon_threadsafe(act)


@cache
def _for_one() -> SharedResolver:
    return SharedResolver(threads=16, per_tenant=16)


async def resolve(host: str) -> tuple[IpAddress, ...]:
    """The IP addresses of ``host`` for a process that serves one tenant; empty if there are none.

    Raises:
        TimeoutError: no answer within ``DEADLINE_SECONDS``.
    """
    return await _for_one().of("")(host)

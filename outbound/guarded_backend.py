"""Looks a name up once, checks its IP addresses, and connects to exactly those.

So it does not help an attacker to change the name's addresses after the check (DNS rebinding). TLS
and ``Host`` still use the name, because they are above this layer.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

import httpcore2

from outbound.address import AddressRefused, public_addresses
from outbound.policy import OutboundPolicy
from outbound.resolver import Resolver

_SocketOptions = Iterable[httpcore2.SOCKET_OPTION]


class GuardedBackend(httpcore2.AsyncNetworkBackend):
    """Every IP address of a host must be allowed. They are tried one after another."""

    def __init__(self, policy: OutboundPolicy, resolver: Resolver) -> None:
        self._policy = policy
        self._resolver = resolver
        self._sockets = httpcore2.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109
        local_address: str | None = None,
        socket_options: _SocketOptions | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        try:
            addresses = await public_addresses(host, self._policy, self._resolver)
        except TimeoutError as error:
            raise httpcore2.ConnectTimeout(f"Looking up {host} took too long") from error
        failure: httpcore2.ConnectError | httpcore2.ConnectTimeout | None = None
        for address in addresses:
            try:
                return await self._sockets.connect_tcp(
                    str(address),
                    port,
                    timeout=None if timeout is None else timeout / len(addresses),
                    local_address=local_address,
                    socket_options=socket_options,
                )
            except (httpcore2.ConnectError, httpcore2.ConnectTimeout) as error:
                failure = error
        raise failure or httpcore2.ConnectError(f"{host} has no address")

    async def connect_unix_socket(
        self,
        path: str,
        timeout: float | None = None,  # noqa: ASYNC109
        socket_options: _SocketOptions | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        raise AddressRefused("Unix sockets are not allowed.")

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)

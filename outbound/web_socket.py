"""Websockets to addresses that tenants entered, under the rules of ``outbound.client``."""

from __future__ import annotations

import asyncio
import logging
import socket
import ssl

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import InvalidStatus

from outbound.address import Target, parse_address, public_addresses
from outbound.client import system_tls
from outbound.policy import OutboundPolicy
from outbound.resolver import IpAddress, Resolver, resolve

_SCHEMES = frozenset({"wss"})
MAX_MESSAGE_BYTES = 1024 * 1024
_CLOSE_SECONDS = 0.5
_SILENT = logging.Logger("outbound.web_socket", logging.CRITICAL + 1)
"""The library logs whole requests, and an address may hold a secret."""


async def guarded_web_socket(
    url: str,
    policy: OutboundPolicy,
    *,
    connect_seconds: float,
    resolver: Resolver = resolve,
    tls: ssl.SSLContext | None = None,
    max_message_bytes: int = MAX_MESSAGE_BYTES,
) -> ClientConnection:
    """Connect to an IP address of ``url`` that was checked. The caller must close the connection.

    No redirect is followed, no proxy is used and no compression is offered, because a few
    compressed bytes can become gigabytes.

    Args:
        connect_seconds: from the look-up to the server's answer to the handshake.
        max_message_bytes: a longer message ends the connection.
        tls: replaces the system's certificate authorities.

    Raises:
        AddressRefused: the address, or an IP address of its name, is not allowed.
        TimeoutError: there was no connection in time.
        OSError: nobody can be reached there, or the certificate is not valid.
        websockets.exceptions.InvalidHandshake: the server does not take the connection. An
            ``InvalidStatus`` says with which HTTP status.
    """
    target = parse_address(url, policy, schemes=_SCHEMES)
    async with asyncio.timeout(connect_seconds):
        connected = await _connected(target, policy, resolver)
        try:
            return await connect(
                # The library refuses a fragment, which no server ever gets.
                url.partition("#")[0],
                sock=connected,
                ssl=tls or system_tls(),
                server_hostname=target.host,
                proxy=None,
                compression=None,
                max_size=max_message_bytes,
                open_timeout=None,
                close_timeout=_CLOSE_SECONDS,
                logger=_SILENT,
            )
        except ValueError as error:
            # The library's word for a redirect that it does not follow.
            if isinstance(error.__cause__, InvalidStatus):
                raise error.__cause__ from None
            raise


async def _connected(target: Target, policy: OutboundPolicy, resolver: Resolver) -> socket.socket:
    failure: OSError | None = None
    for address in await public_addresses(target.host, policy, resolver):
        try:
            return await _connected_to(address, target.port)
        except OSError as error:
            failure = error
    raise failure or OSError(f"{target.host} has no address")


async def _connected_to(address: IpAddress, port: int) -> socket.socket:
    family = socket.AF_INET if address.version == 4 else socket.AF_INET6
    made = socket.socket(family, socket.SOCK_STREAM)
    try:
        made.setblocking(False)
        made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        await asyncio.get_running_loop().sock_connect(made, (str(address), port))
    except BaseException:
        made.close()
        raise
    return made

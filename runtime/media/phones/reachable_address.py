"""Under which address bridges reach the port that a worker listens on."""

from __future__ import annotations

import asyncio
import socket
from ipaddress import IPv6Address, ip_address
from urllib.parse import urlsplit

REDIS_PORT = 6379


async def reached_at(host: str, port: int, redis_url: str) -> str:
    """``ws://…`` of ``host``; if that means all addresses, of the one from which this machine
    reaches Redis, because bridges are in the network of Redis, too."""
    address = ip_address(host)
    if address.is_unspecified:
        own = await _address_towards(redis_url)
        address = ip_address(own) if own is not None else address
    shown = f"[{address}]" if isinstance(address, IPv6Address) else str(address)
    return f"ws://{shown}:{port}"


async def _address_towards(redis_url: str) -> str | None:
    """Asks the routing table; nothing is sent."""
    url = urlsplit(redis_url)
    try:
        found = await asyncio.get_running_loop().getaddrinfo(
            url.hostname or "127.0.0.1", url.port or REDIS_PORT, type=socket.SOCK_DGRAM
        )
        family, kind, protocol, _, target = found[0]
        with socket.socket(family, kind, protocol) as probe:
            probe.connect(target)
            return str(probe.getsockname()[0])
    except OSError:
        return None

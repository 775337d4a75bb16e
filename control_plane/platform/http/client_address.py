"""The client of a request: its address and its scheme, behind any number of proxies. Pure.

A proxy appends the address of its own peer to ``X-Forwarded-For``. Only what a trusted proxy has
appended is true: everything to the left of it is whatever the client has sent.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from ipaddress import IPv4Network, IPv6Network, ip_network
from typing import Literal

from listeners.subscriber import IpAddress, parsed_address

_PRIVATE_NAMES = (".localhost", ".local", ".internal", ".test", ".home.arpa")
_PROVIDER_BITS = {4: 24, 6: 48}


@dataclass(frozen=True)
class TrustedProxies:
    """The proxies whose ``X-Forwarded-For`` and ``X-Forwarded-Proto`` count.

    Args:
        addresses: addresses, and networks in CIDR notation.

    Raises:
        ValueError: one of them is neither.
    """

    addresses: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        _ = self._networks

    def __contains__(self, address: IpAddress) -> bool:
        return any(address in network for network in self._networks)

    @cached_property
    def _networks(self) -> tuple[IPv4Network | IPv6Network, ...]:
        return tuple(ip_network(address) for address in self.addresses)


@dataclass(frozen=True)
class Client:
    address: str
    scheme: Literal["http", "https"] | None = None
    """The scheme of the client's own request. ``None``: that of the connection."""


def client_behind(
    peer: str, forwarded_for: str, forwarded_proto: str, trusted: TrustedProxies
) -> Client:
    """The client of a request: the nearest address that is not a trusted proxy's.

    A malformed entry ends the search, and the proxy that wrote it counts as the client. So does the
    outermost proxy if there is nothing but trusted proxies.

    Args:
        peer: the address at the other end of the connection.
        forwarded_for, forwarded_proto: the values of the headers, joined with commas; empty for
            none.
    """
    client = parsed_address(peer)
    if client is None:
        return Client(peer)
    proxies = 0
    hops = forwarded_for.split(",") if forwarded_for else []
    while client in trusted:
        proxies += 1
        before = parsed_address(hops.pop()) if hops else None
        if before is None:
            break
        client = before
    return Client(str(client), _scheme(forwarded_proto.split(","), proxies))


def is_public_host(host: str) -> bool:
    """Whether the host of a URL is on the internet: an address that is routed there, or a name that
    the public DNS may know (not RFC 6761, 6762, 8375, nor ICANN's ``internal``)."""
    address = parsed_address(f"[{host}]" if ":" in host else host)
    if address is not None:
        return address.is_global
    return "." in host and not host.rstrip(".").lower().endswith(_PRIVATE_NAMES)


def provider_network_of(address: str) -> str | None:
    """The network around a subscriber's, in which one customer of a hosting company easily has many
    addresses: a /24 of IPv4 or a /48 of IPv6. ``None`` for text that is no address."""
    parsed = parsed_address(address)
    if parsed is None:
        return None
    bits = _PROVIDER_BITS[parsed.version]
    return str(ip_network((int(parsed), bits), strict=False))


def _scheme(forwarded: Sequence[str], proxies: int) -> Literal["http", "https"] | None:
    """What the outermost of the trusted proxies has written. Some proxies append their value,
    others hand on the only one."""
    if proxies == 0:
        return None
    match forwarded[-min(proxies, len(forwarded))].strip().lower():
        case "http":
            return "http"
        case "https":
            return "https"
    return None

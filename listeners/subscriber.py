"""Whose an address is. Pure."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

IpAddress = IPv4Address | IPv6Address
_SUBSCRIBER_BITS = 64


def parsed_address(text: str) -> IpAddress | None:
    """An address in any form that proxies write: IPv4 and IPv6, with or without a port, quotes or
    brackets. An IPv4 address in its IPv6 form becomes IPv4, and a zone is dropped. ``None`` for
    anything else, such as ``unknown``."""
    text = text.strip().strip('"')
    if text.startswith("["):
        text, bracket, port = text[1:].partition("]")
        if not bracket or (port and not _is_port(port)):
            return None
    elif text.count(":") == 1:
        text, colon, port = text.partition(":")
        if not _is_port(colon + port):
            return None
    try:
        address = ip_address(text.partition("%")[0])
    except ValueError:
        return None
    if isinstance(address, IPv6Address) and address.ipv4_mapped is not None:
        return address.ipv4_mapped
    return address


def subscriber_of(address: str) -> str | None:
    """The network that one internet subscriber has: an IPv4 address, or a /64 of IPv6. ``None`` for
    text that is no address, such as the name of a socket."""
    parsed = parsed_address(address)
    if parsed is None:
        return None
    if isinstance(parsed, IPv6Address):
        return str(ip_network((int(parsed), _SUBSCRIBER_BITS), strict=False))
    return str(parsed)


def _is_port(text: str) -> bool:
    return text[0] == ":" and text[1:].isascii() and text[1:].isdigit()

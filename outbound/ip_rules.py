"""Which IP addresses belong to the public internet. Pure rules, no network.

Source: the IANA IPv4 and IPv6 special-purpose address registries (RFC 6890 and its updates). They
are a table here because ``ipaddress.is_global`` depends on the Python release. An address is public
only if both say so. For IPv6 forms that contain an IPv4 address (RFC 4291, 6052, 5214), the IPv4
address counts.
"""

from __future__ import annotations

from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_network

from outbound.policy import OutboundPolicy

_NAT64 = IPv6Network("64:ff9b::/96")
_LOCAL_NAT64 = IPv6Network("64:ff9b:1::/48")
_GLOBAL_UNICAST = IPv6Network("2000::/3")
_ISATAP_INTERFACES = (0x0000_5EFE, 0x0200_5EFE)
_LOW_32_BITS = 0xFFFF_FFFF

_NOT_PUBLIC: tuple[tuple[IPv4Network | IPv6Network, str], ...] = tuple(
    (ip_network(network), reason)
    for network, reason in (
        ("0.0.0.0/8", "means this machine or its own network"),
        ("10.0.0.0/8", "belongs to a private network"),
        ("100.64.0.0/10", "belongs to a carrier's inner network (CGNAT)"),
        ("127.0.0.0/8", "is the loopback of the machine itself"),
        ("168.63.129.16/32", "is a cloud provider's service for its own machines"),
        ("169.254.0.0/16", "is link-local, where clouds serve machine credentials"),
        ("172.16.0.0/12", "belongs to a private network"),
        ("192.0.0.0/24", "is reserved for protocol assignments"),
        ("192.0.2.0/24", "is reserved for documentation"),
        ("192.88.99.0/24", "is a relay of the 6to4 tunnel"),
        ("192.168.0.0/16", "belongs to a private network"),
        ("198.18.0.0/15", "is reserved for benchmarks"),
        ("198.51.100.0/24", "is reserved for documentation"),
        ("203.0.113.0/24", "is reserved for documentation"),
        ("224.0.0.0/4", "is a multicast address"),
        ("255.255.255.255/32", "is the broadcast address"),
        ("240.0.0.0/4", "is reserved"),
        ("::/128", "means this machine"),
        ("::1/128", "is the loopback of the machine itself"),
        ("64:ff9b:1::/48", "is a local translation to IPv4 (NAT64)"),
        ("2001::/32", "is a Teredo tunnel, which hides another address"),
        ("2001::/23", "is reserved for protocol assignments"),
        ("2001:db8::/32", "is reserved for documentation"),
        ("2002::/16", "is a 6to4 tunnel, which hides another address"),
        ("3fff::/20", "is reserved for documentation"),
        ("fc00::/7", "belongs to a private network (unique local)"),
        ("fe80::/10", "is link-local"),
        ("fec0::/10", "belongs to a private network (site local)"),
        ("ff00::/8", "is a multicast address"),
    )
)


def refusal(ip: IPv4Address | IPv6Address, policy: OutboundPolicy) -> str | None:
    """Why ``ip`` is refused: the rest of a sentence that starts with it. ``None`` if it is not."""
    if isinstance(ip, IPv6Address):
        if ip.scope_id is not None:
            return "names a network interface of the machine"
        translated = _translated(ip)
        if translated is not None:
            reason = refusal(translated, policy)
            return None if reason is None else f"means {translated}, which {reason}"
    if not policy.allows(ip):
        reason = _why_not_public(ip)
        if reason is not None:
            return reason
    carried = _carried(ip)
    if carried is not None and (reason := refusal(carried, policy)) is not None:
        return f"carries {carried}, which {reason}"
    return None


def _translated(ip: IPv6Address) -> IPv4Address | None:
    """The IPv4 address that packets to ``ip`` always reach."""
    if ip.ipv4_mapped is not None:
        return ip.ipv4_mapped
    if ip in _NAT64:
        return IPv4Address(int(ip) & _LOW_32_BITS)
    return None


def _carried(ip: IPv4Address | IPv6Address) -> IPv4Address | None:
    """The IPv4 address in the low bits, which a router may extract and send packets to."""
    if isinstance(ip, IPv4Address):
        return None
    interface = (int(ip) >> 32) & _LOW_32_BITS
    if ip in _LOCAL_NAT64 or interface in _ISATAP_INTERFACES:
        return IPv4Address(int(ip) & _LOW_32_BITS)
    return None


def _why_not_public(ip: IPv4Address | IPv6Address) -> str | None:
    for network, reason in _NOT_PUBLIC:
        if ip in network:
            return reason
    if isinstance(ip, IPv6Address) and ip not in _GLOBAL_UNICAST:
        return "lies outside the public IPv6 internet"
    return None if ip.is_global else "is not an address of the public internet"

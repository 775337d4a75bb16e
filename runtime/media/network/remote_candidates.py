"""Which of the addresses in an offer a leg sends anything to. Pure.

A worker sends STUN requests to the addresses that its peers name. So only addresses that can be a
caller's are used, and at most as many as a browser offers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address

from runtime.media.network.media_network import MediaNetwork

MOST_CANDIDATES = 30
LEAST_PORT = 1024
"""Below are ports of services, which no caller's media come from."""

_FIELDS = 8
_COMPONENT = "1"
"""RTP and RTCP share it (RFC 5761)."""
_NAT64 = IPv6Network("64:ff9b::/96")
_LOW_32_BITS = 0xFFFF_FFFF


@dataclass(frozen=True)
class RemoteAddresses:
    """The addresses that may be a caller's. Public ones always may."""

    loopback: bool = True
    private: bool = True
    """All that are not reachable from everywhere (IANA's special-purpose registries)."""

    @classmethod
    def of(cls, network: MediaNetwork, own: Sequence[str]) -> RemoteAddresses:
        """
        Args:
            own: the addresses that this machine offers, without those of ``network``.
        """
        private = network.private_candidates
        if private is None:
            if network.advertised_addresses:
                private = not all(_is_public(each) for each in network.advertised_addresses)
            else:
                # Beside a public address, a private one may be a bridge of containers.
                private = not any(_is_public(each) for each in own)
        return cls(any(ip_address(each).is_loopback for each in own), private)

    def include(self, text: str) -> bool:
        """Whether ``text`` is an address, not a name, and may be a caller's."""
        try:
            address = _unmapped(ip_address(text))
        except ValueError:
            return False
        if address.is_multicast or address.is_unspecified or address.is_link_local:
            return False
        if address.is_loopback:
            return self.loopback
        if isinstance(address, IPv4Address) and address.is_reserved:
            return False
        return self.private or address.is_global


def usable_candidates(lines: Sequence[str], may_be: RemoteAddresses) -> tuple[list[str], list[str]]:
    """The candidates among the lines of a media section that a leg can use, at most
    ``MOST_CANDIDATES``; and ``a=end-of-candidates``, if it is there and not all were left out.

    Raises:
        ValueError: a line is not a candidate (RFC 8839, section 5.1).
    """
    usable = list(dict.fromkeys(_usable(lines, may_be)))[:MOST_CANDIDATES]
    end = [line for line in lines if line == "a=end-of-candidates"][:1]
    return usable, end if usable else []


def _usable(lines: Sequence[str], may_be: RemoteAddresses) -> Iterator[str]:
    for line in lines:
        if not line.startswith("a=candidate:"):
            continue
        fields = line.split()
        if len(fields) < _FIELDS:
            raise ValueError("a candidate has too few fields")
        _, component, transport, _, address, port, *_ = fields
        if (
            component == _COMPONENT
            and transport.lower() == "udp"
            and LEAST_PORT <= int(port) < 1 << 16
            and may_be.include(address)
        ):
            yield line


def _is_public(address: str) -> bool:
    return ip_address(address).is_global


def _unmapped(address: IPv4Address | IPv6Address) -> IPv4Address | IPv6Address:
    """The IPv4 address that packets to ``address`` reach, if they do (RFC 4291, 6052)."""
    if isinstance(address, IPv4Address):
        return address
    if address in _NAT64:
        return IPv4Address(int(address) & _LOW_32_BITS)
    return address.ipv4_mapped or address

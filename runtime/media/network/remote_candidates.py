"""Which of the addresses in an offer a leg sends anything to. Pure.

A worker sends STUN requests to the addresses that its peers name. So it is told which of them could
be a caller's, and takes no more than a browser offers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_address

from runtime.media.network.media_network import MediaNetwork

MOST_CANDIDATES = 30
LEAST_PORT = 1024
"""Below are ports of services, which no caller's media come from."""

_FIELDS = 8
_COMPONENT = "1"
"""RTP and RTCP share it (RFC 5761)."""


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
            known_by = network.advertised_addresses or own
            private = any(not ip_address(each).is_global for each in known_by)
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


def _unmapped(address: IPv4Address | IPv6Address) -> IPv4Address | IPv6Address:
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return mapped or address

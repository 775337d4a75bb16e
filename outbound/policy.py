"""Which private networks requests for tenants may reach."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_network


@dataclass(frozen=True)
class OutboundPolicy:
    """By default, only the public internet.

    Args:
        allowed_networks: private networks in CIDR notation that are allowed too, for example
            ``("10.20.0.0/16",)`` if a tenant's systems share a network with this installation.

    Raises:
        ValueError: a network is not written in CIDR notation.
    """

    allowed_networks: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        _ = self._networks

    def allows(self, ip: IPv4Address | IPv6Address) -> bool:
        """Whether an allowed network holds ``ip``."""
        return any(ip in network for network in self._networks)

    @cached_property
    def _networks(self) -> tuple[IPv4Network | IPv6Network, ...]:
        return tuple(ip_network(network) for network in self.allowed_networks)

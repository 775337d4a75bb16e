"""A range of UDP ports that nothing uses now."""

from __future__ import annotations

import random
import socket

from runtime.media.network.media_network import PortRange


def free_ports(count: int) -> PortRange:
    """On every address of this machine. Below the ports that Linux gives out by itself."""
    while True:
        first = random.randrange(10_000, 32_000)
        if all(_is_free(port) for port in range(first, first + count)):
            return PortRange(first=first, last=first + count - 1)


def _is_free(port: int) -> bool:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.bind(("0.0.0.0", port))
        except OSError:
            return False
        return True

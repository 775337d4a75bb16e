"""Which of this machine's addresses a leg offers to its peer (ICE host candidates, RFC 8445 5.1.1).

The loopback address is offered when there is no other, so that a machine without a network can
still make calls to itself.
"""

from __future__ import annotations

from collections.abc import Sequence

from runtime.media.network.aiortc_internals import host_addresses

LOOPBACK = "127.0.0.1"


def ice_addresses(found: Sequence[str], offer_loopback: bool) -> list[str]:
    """``found``, plus the loopback address if it is asked for or nothing was found."""
    return [*found, LOOPBACK] if offer_loopback or not found else list(found)


def local_ice_addresses(offer_loopback: bool = False) -> list[str]:
    """What this machine offers now."""
    return ice_addresses(host_addresses(), offer_loopback)

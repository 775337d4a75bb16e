"""Which of this machine's addresses a leg offers to its peer (ICE host candidates, RFC 8445 5.1.1).

aioice leaves the loopback address out, so that on a machine without a network no call could be made
to the machine itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from aioice.ice import get_host_addresses

if TYPE_CHECKING:
    from aiortc import RTCPeerConnection

LOOPBACK = "127.0.0.1"


def ice_addresses(found: Sequence[str], offer_loopback: bool) -> list[str]:
    """``found`` and, when asked for or when nothing was found, the loopback address."""
    return [*found, LOOPBACK] if offer_loopback or not found else list(found)


def local_ice_addresses(offer_loopback: bool = False) -> list[str]:
    """What this machine offers now."""
    return ice_addresses(get_host_addresses(use_ipv4=True, use_ipv6=True), offer_loopback)


async def gather_candidates(peer: RTCPeerConnection, addresses: Sequence[str]) -> None:
    """Gather candidates on ``addresses`` (and from the peer's STUN servers, if it has any).

    For a peer whose media share one transport (``RTCBundlePolicy.MAX_BUNDLE``), after its
    transceivers exist and before ``setLocalDescription``, which then finds the gathering done.
    """
    transport = peer.getTransceivers()[0].receiver.transport.transport
    connection = transport.iceGatherer._connection
    connection._local_candidates_start = True
    connection._local_candidates += await connection.get_component_candidates(
        component=1, addresses=list(addresses)
    )
    connection._local_candidates_end = True

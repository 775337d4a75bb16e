"""What a connection needs of aiortc that has no public name. Should a later release keep it
elsewhere, a connection works without it."""

from __future__ import annotations

from aiortc import RTCIceTransport, RTCPeerConnection
from OpenSSL import SSL

LARGEST_DATAGRAM_BYTES = 1_500
"""The MTU of Ethernet, which no WebRTC peer exceeds."""


def has_said_goodbye(peer: RTCPeerConnection) -> bool:
    """Whether the other side has closed its DTLS connection (RFC 8446, section 6.1). aiortc's own
    states are the same after a loss."""
    transport = peer.sctp.transport if peer.sctp is not None else None
    dtls = getattr(transport, "_ssl", None)
    return isinstance(dtls, SSL.Connection) and bool(dtls.get_shutdown() & SSL.RECEIVED_SHUTDOWN)


def drop_broken_datagrams(peer: RTCPeerConnection) -> None:
    """Call it after the local description is set. aiortc's transport dies of a datagram that is
    empty or too long, and anybody can send one."""
    # There is one for each medium until the answer bundles them.
    for medium in (*(each.sender for each in peer.getTransceivers()), peer.sctp):
        if medium is not None:
            _drop_broken_datagrams(medium.transport.transport)


def _drop_broken_datagrams(ice: RTCIceTransport) -> None:
    receive = getattr(ice, "_recv", None)
    if receive is None:
        return

    async def receive_whole() -> bytes:
        while True:
            datagram: bytes = await receive()
            if 2 <= len(datagram) <= LARGEST_DATAGRAM_BYTES:
                return datagram

    # In place of the method, for this object only.
    ice.__dict__["_recv"] = receive_whole

"""Every place where we reach into private parts of aiortc and aioice.

Nothing else in the product may use a private name of these libraries. ``pyproject.toml`` pins both
to the minor release that this file was written for, and
``tests/runtime/media/test_aiortc_internals.py`` fails with the name that is missing when an upgrade
has changed one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from aioice import Connection
from aioice.ice import get_host_addresses
from aioice.stun import TransactionError
from aiortc import RTCPeerConnection, RTCRtpReceiver
from aiortc.rtp import RtpPacket

_JITTER_BUFFER = "_RTCRtpReceiver__jitter_buffer"


class _PacketTap:
    """Replaces aiortc's jitter buffer and never has a frame for aiortc's decoder."""

    def __init__(self, on_packet: Callable[[RtpPacket], None]) -> None:
        self._on_packet = on_packet

    def add(self, packet: RtpPacket) -> tuple[bool, None]:
        self._on_packet(packet)
        return False, None


def tap_packets(receiver: RTCRtpReceiver, on_packet: Callable[[RtpPacket], None]) -> None:
    """Give ``on_packet`` every RTP packet of ``receiver``, still encoded; its track gets none.

    Reaches for ``RTCRtpReceiver.__jitter_buffer``. aiortc holds four audio packets (80 ms) back
    before it decodes the first, and decodes in a separate thread. A conversation can afford
    neither. An event or a hook for received packets in aiortc would replace this.

    Raises:
        RuntimeError: this release of aiortc has no such attribute.
    """
    if not hasattr(receiver, _JITTER_BUFFER):
        raise RuntimeError(f"RTCRtpReceiver has no {_JITTER_BUFFER} in this release of aiortc")
    setattr(receiver, _JITTER_BUFFER, _PacketTap(on_packet))


def host_addresses() -> list[str]:
    """This machine's IPv4 and IPv6 addresses, without loopback and link-local ones.

    Reaches for ``aioice.ice.get_host_addresses``, which aioice does not export. A list from another
    library would replace it, but could differ from what aioice itself offers.
    """
    return get_host_addresses(use_ipv4=True, use_ipv6=True)


async def gather_candidates(peer: RTCPeerConnection, addresses: Sequence[str]) -> None:
    """Gather candidates on ``addresses``, and from the peer's STUN servers if it has any.

    Call it for a peer whose media share one transport (``RTCBundlePolicy.MAX_BUNDLE``), after its
    transceivers exist and before ``setLocalDescription``, which then finds the gathering done.

    Reaches for the ``aioice.Connection`` behind the peer and its ``_local_candidates``,
    ``_local_candidates_start`` and ``_local_candidates_end``. aioice offers every address except
    loopback, so without this, no call could be made on a machine without a network. A list of
    addresses as an argument of ``Connection.gather_candidates`` would replace it.
    """
    connection = ice_connection(peer)
    connection._local_candidates_start = True
    connection._local_candidates += await connection.get_component_candidates(
        component=1, addresses=list(addresses)
    )
    connection._local_candidates_end = True


async def answers_binding_request(peer: RTCPeerConnection) -> bool:
    """Send one STUN binding request on the selected pair and wait for the response.

    Reaches for ``Connection._nominated`` and the pair's protocol. aioice checks consent by itself,
    but gives up only after 30 s. A configurable consent timeout would replace this.
    """
    connection = ice_connection(peer)
    password = (connection.remote_password or "").encode()
    for pair in list(connection._nominated.values()):
        try:
            await pair.protocol.request(
                connection.build_request(pair, nominate=False),
                pair.remote_addr,
                integrity_key=password,
                retransmissions=0,
            )
        except TransactionError:
            continue
        return True
    return False


def ice_connection(peer: RTCPeerConnection) -> Connection:
    """The ICE connection of a peer whose media share one transport.

    Reaches for ``RTCIceGatherer._connection``, which has no public name.
    """
    (transceiver, *_) = peer.getTransceivers()
    return transceiver.receiver.transport.transport.iceGatherer._connection

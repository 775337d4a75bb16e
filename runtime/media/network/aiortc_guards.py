"""What aiortc and aioice let in: only a peer's well-formed packets, and no more than fits.

Reaches into private parts of these libraries, as ``aiortc_internals.py`` does and under the same
pins and tests.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, Literal

import structlog
from aioice import Connection
from aioice.ice import StunProtocol
from aioice.stun import Message
from aiortc import RTCPeerConnection, RTCSctpTransport
from aiortc.rtcsctptransport import DataChunk, tsn_plus_one

from runtime.media.network.aiortc_internals import ice_connection
from runtime.media.network.packet_form import is_stun, is_well_formed, source_of
from runtime.media.network.packet_sources import PacketSources
from runtime.media.network.sctp_form import MOST_STREAMS, is_harmless

logger = structlog.get_logger(__name__)

MOST_UNREAD_BYTES = 256 * 1024
"""An association keeps at most so many bytes of unfinished messages, and twice as many while chunks
that were lost come again."""
MOST_UNREAD_CHUNKS = 256
"""An association keeps at most so many chunks of unfinished messages, with the same exception. Full
packets of that size have as many."""
MOST_CHOSEN_ADDRESSES = 16
"""A peer has as many addresses as its machine has interfaces; it can pretend to have more."""
DropReason = Literal["stranger", "malformed", "failed", "too_much"]
"""Why a packet was dropped: it came from an address that is not the peer's, it is not what it says
that it is, it caused an exception, or there is no more room for it or its source."""
_CHECK_INCOMING, _USE_CANDIDATE = "check_incoming", "USE-CANDIDATE"
_DATA_RECEIVED, _DATAGRAM_RECEIVED = "data_received", "datagram_received"
_RECEIVE_NEXT, _SEND_DATA = "_recv_next", "_send_data"
_HANDLE_RTP, _HANDLE_RTCP = "_handle_rtp_data", "_handle_rtcp_data"
_HANDLE_DATA, _RECEIVE_DATA_CHUNK = "_handle_data", "_receive_data_chunk"


def guard_packets(peer: RTCPeerConnection, on_dropped: Callable[[DropReason], None]) -> None:
    """Let nothing reach DTLS, SRTP and SCTP but well-formed packets from the other peer, and let no
    packet end the transport. Call it after ``gather_candidates``.

    The other peer's addresses are those of the nominated pair, of other pairs whose check has
    succeeded, and of those that the peer has nominated: each side may choose another, and aioice
    ends its own checks as soon as it has one. Before a pair is nominated, they are all that ICE
    checks: the offer's, and those from which signed STUN requests came.

    Reaches for ``StunProtocol.datagram_received``, ``Connection.data_received``,
    ``check_incoming``, ``_protocols``, ``_nominated`` and ``_check_list``, and for
    ``RTCDtlsTransport._recv_next``, ``encrypted``, ``_handle_rtp_data`` and ``_handle_rtcp_data``.
    aioice takes packets from every address. In aiortc an exception of one packet ends the
    transport, and each source of packets stays in memory. Releases that do nothing of this would
    replace it.

    Args:
        on_dropped: called for each packet that was dropped.
    """
    connection = ice_connection(peer)
    into_queue = connection.data_received
    sources = PacketSources()

    def take(datagram: bytes, component: int) -> None:
        source = source_of(datagram)
        if not is_well_formed(datagram):
            on_dropped("malformed")
        elif source is not None and not sources.may_send(source):
            on_dropped("too_much")
        else:
            into_queue(datagram, component)

    setattr(connection, _DATA_RECEIVED, take)
    addresses = _PeerAddresses(connection)
    for protocol in connection._protocols:
        _guard_addresses(protocol, addresses, on_dropped)
    _admit_sources(peer, sources, on_dropped)
    _survive_packets(peer, on_dropped)


def _guard_addresses(
    protocol: StunProtocol, addresses: _PeerAddresses, on_dropped: Callable[[DropReason], None]
) -> None:
    receive = protocol.datagram_received

    def received(datagram: bytes, address: tuple[Any, ...]) -> None:
        if not is_stun(datagram) and address[:2] not in addresses:
            on_dropped("stranger")
            return
        try:
            receive(datagram, address)
        except Exception as error:  # noqa: BLE001 - whatever a packet can cause in a parser
            logger.debug("media.stun_failed", error=repr(error))
            on_dropped("malformed")

    setattr(protocol, _DATAGRAM_RECEIVED, received)


class _PeerAddresses:
    """Where the other peer may send from."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._chosen: dict[tuple[Any, ...], None] = {}
        """Addresses that have nominated a pair in a signed request, the newest last."""
        handle = connection.check_incoming

        def handled(request: Message, address: tuple[Any, ...], protocol: StunProtocol) -> None:
            if _USE_CANDIDATE in request.attributes:
                self._chosen.pop(address[:2], None)
                self._chosen[address[:2]] = None
                if len(self._chosen) > MOST_CHOSEN_ADDRESSES:
                    del self._chosen[next(iter(self._chosen))]
            handle(request, address, protocol)

        setattr(connection, _CHECK_INCOMING, handled)

    def __contains__(self, address: tuple[Any, ...]) -> bool:
        nominated = self._connection._nominated.values()
        if address in self._chosen or any(pair.remote_addr == address for pair in nominated):
            return True
        return any(
            pair.remote_addr == address and (not nominated or pair.state == pair.State.SUCCEEDED)
            for pair in self._connection._check_list
        )


def _admit_sources(
    peer: RTCPeerConnection, sources: PacketSources, on_dropped: Callable[[DropReason], None]
) -> None:
    (transceiver, *_) = peer.getTransceivers()
    transport = transceiver.receiver.transport

    def only_of_sources(handle: Callable[..., Awaitable[None]]) -> Callable[..., Awaitable[None]]:
        async def handled(data: bytes, **more: Any) -> None:
            source = source_of(data)
            if source is None or sources.admit(source):
                await handle(data, **more)
            else:
                on_dropped("too_much")

        return handled

    for name in (_HANDLE_RTP, _HANDLE_RTCP):
        setattr(transport, name, only_of_sources(getattr(transport, name)))


def _survive_packets(peer: RTCPeerConnection, on_dropped: Callable[[DropReason], None]) -> None:
    (transceiver, *_) = peer.getTransceivers()
    transport = transceiver.receiver.transport
    receive_next = transport._recv_next
    failures = 0

    async def received() -> None:
        nonlocal failures
        try:
            await receive_next()
        except ConnectionError:
            raise
        except Exception as error:
            if not transport.encrypted:
                # The handshake failed, and says so itself.
                raise
            failures += 1
            if failures == 1:
                logger.warning("media.packet_failed", error=repr(error))
            on_dropped("failed")
            # Were it not the packet's fault, the next one would fail at once.
            await asyncio.sleep(0)

    setattr(transport, _RECEIVE_NEXT, received)


def guard_sending(peer: RTCPeerConnection) -> None:
    """Let a connection whose encryption is broken be closed like any other.

    Reaches for ``RTCDtlsTransport._send_data``. The association says goodbye through it, and
    expects ``ConnectionError`` where nothing can be sent. OpenSSL's own errors, such as after a
    handshake that somebody disturbed, would end ``close`` before the ports are free. A release that
    raises ``ConnectionError`` instead would replace this.
    """
    (transceiver, *_) = peer.getTransceivers()
    transport = transceiver.receiver.transport
    send = transport._send_data

    async def sent(data: bytes) -> None:
        try:
            await send(data)
        except ConnectionError:
            raise
        except Exception as error:
            raise ConnectionError(f"DTLS cannot send: {error!r}") from error

    setattr(transport, _SEND_DATA, sent)


def guard_association(peer: RTCPeerConnection, on_dropped: Callable[[DropReason], None]) -> None:
    """Bound what the other peer's data channels can make us keep and do. Call it after
    ``setRemoteDescription``; does nothing for a peer without a data channel.

    Reaches for ``RTCSctpTransport._handle_data``, ``_receive_data_chunk``, ``_advertised_rwnd``,
    ``_inbound_streams``, ``_last_received_tsn`` and ``_sack_misordered``. aiortc keeps whatever
    comes, looks through all of it with each chunk, and trusts the lengths in a packet. Releases
    that keep to the window that they advertise would replace this.

    Args:
        on_dropped: called for each packet or chunk that was dropped.
    """
    association = peer.sctp
    if association is None:
        return
    handle, receive = association._handle_data, association._receive_data_chunk
    association._advertised_rwnd = MOST_UNREAD_BYTES

    async def handled(packet: bytes) -> None:
        if is_harmless(packet):
            await handle(packet)
        else:
            on_dropped("malformed")

    async def received(chunk: DataChunk) -> None:
        if _has_room(association, chunk):
            await receive(chunk)
        else:
            on_dropped("too_much")

    setattr(association, _HANDLE_DATA, handled)
    setattr(association, _RECEIVE_DATA_CHUNK, received)


def _has_room(association: RTCSctpTransport, chunk: DataChunk) -> bool:
    streams = association._inbound_streams
    early = association._sack_misordered
    unread = sum(len(stream.reassembly) for stream in streams.values())
    # What waits may wait for this chunk alone.
    is_missing = bool(early) and _is_next(association, chunk)
    times = 2 if is_missing else 1
    return (
        unread < times * MOST_UNREAD_CHUNKS
        and len(chunk.user_data) <= association._advertised_rwnd + (times - 1) * MOST_UNREAD_BYTES
        and (chunk.stream_id in streams or len(streams) < MOST_STREAMS)
        and (is_missing or len(early) < MOST_UNREAD_CHUNKS)
    )


def _is_next(association: RTCSctpTransport, chunk: DataChunk) -> bool:
    last = association._last_received_tsn
    return last is not None and bool(chunk.tsn == tsn_plus_one(last))

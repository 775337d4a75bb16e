"""Every place where we reach into private parts of aiortc and aioice.

Nothing else in the product may use a private name of these libraries. ``pyproject.toml`` pins both
to the minor release that this file was written for, and
``tests/runtime/media/network/test_aiortc_internals.py`` fails with the name that is missing when an
upgrade has changed one.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Callable, Sequence
from ipaddress import ip_address
from typing import Any, Literal

import structlog
from aioice import Candidate, Connection
from aioice.candidate import candidate_foundation, candidate_priority
from aioice.ice import StunProtocol, get_host_addresses, server_reflexive_candidate
from aioice.stun import Message, TransactionError
from aioice.turn import UDP_SOCKET_BUFFER_SIZE
from aiortc import RTCPeerConnection, RTCRtpReceiver, RTCSctpTransport
from aiortc.rtcsctptransport import DataChunk, tsn_plus_one
from aiortc.rtp import RtpPacket

from runtime.media.network.media_network import MediaNetwork, NoFreePort, PortRange
from runtime.media.network.packet_form import is_stun, is_well_formed, source_of
from runtime.media.network.packet_sources import PacketSources
from runtime.media.network.sctp_form import MOST_STREAMS, is_harmless

logger = structlog.get_logger(__name__)

ANY_PORT = MediaNetwork()
_COMPONENT = 1
"""RTP and RTCP share it (RFC 5761)."""
SERVERS_ANSWER_SECONDS = 5.0
"""How long STUN and TURN servers may take, as in aioice. A leg does without a silent one."""
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
_JITTER_BUFFER = "_RTCRtpReceiver__jitter_buffer"
_CHECK_INCOMING, _USE_CANDIDATE = "check_incoming", "USE-CANDIDATE"
_DATA_RECEIVED, _DATAGRAM_RECEIVED = "data_received", "datagram_received"
_RECEIVE_NEXT = "_recv_next"
_RUN_REPORTS = "_run_rtcp"
_HANDLE_RTP, _HANDLE_RTCP = "_handle_rtp_data", "_handle_rtcp_data"
_HANDLE_DATA, _RECEIVE_DATA_CHUNK = "_handle_data", "_receive_data_chunk"


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


def keep_reporting(receiver: RTCRtpReceiver) -> None:
    """Let no packet end the receiver's reports. Call it before ``setRemoteDescription``.

    Reaches for ``RTCRtpReceiver._run_rtcp``. An exception in it, for example because a peer's
    timestamps give a jitter that does not fit into a report, would make ``RTCPeerConnection.close``
    wait forever. A release of aiortc that catches it would replace this.
    """
    run = receiver._run_rtcp

    async def run_on() -> None:
        while True:
            try:
                # It waits before each report, so this loop has pauses.
                return await run()
            except Exception as error:  # noqa: BLE001 - whatever a packet can cause in a report
                logger.debug("media.report_failed", error=repr(error))

    setattr(receiver, _RUN_REPORTS, run_on)


def host_addresses() -> list[str]:
    """This machine's IPv4 and IPv6 addresses, without loopback and link-local ones.

    Reaches for ``aioice.ice.get_host_addresses``, which aioice does not export. A list from another
    library would replace it, but could differ from what aioice itself offers.
    """
    return get_host_addresses(use_ipv4=True, use_ipv6=True)


async def gather_candidates(
    peer: RTCPeerConnection, addresses: Sequence[str], network: MediaNetwork = ANY_PORT
) -> None:
    """Gather candidates on ``addresses``, and from the peer's STUN and TURN servers if it has any.

    Call it for a peer whose media share one transport (``RTCBundlePolicy.MAX_BUNDLE``), after its
    transceivers exist and before ``setLocalDescription``, which then finds the gathering done.

    Reaches for the ``aioice.Connection`` behind the peer and its ``_local_candidates``,
    ``_local_candidates_start``, ``_local_candidates_end`` and, for a range of ports,
    ``_protocols``. aioice offers every address except loopback, so without this, no call could be
    made on a machine without a network; and it binds to any port. A list of addresses and a range
    of ports as arguments of ``Connection.gather_candidates`` would replace it.

    Raises:
        NoFreePort: every port of the network's range is in use.
    """
    connection = ice_connection(peer)
    connection._local_candidates_start = True
    if network.ports is None:
        candidates = await connection.get_component_candidates(
            component=_COMPONENT, addresses=list(addresses)
        )
    else:
        candidates = await _candidates_on_ports(connection, addresses, network.ports)
    connection._local_candidates += [
        *candidates,
        *_advertised(candidates, network.advertised_addresses),
    ]
    connection._local_candidates_end = True


async def _candidates_on_ports(
    connection: Connection, addresses: Sequence[str], ports: PortRange
) -> list[Candidate]:
    """What ``Connection.get_component_candidates`` does, with ports of our choice."""
    loop = asyncio.get_running_loop()
    protocols = []
    for address in addresses:
        try:
            bound = ports.bind(address)
        except NoFreePort:
            raise
        except OSError as error:
            logger.info("media.address_not_bound", address=address, error=str(error))
            continue
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, UDP_SOCKET_BUFFER_SIZE)
        _, protocol = await loop.create_datagram_endpoint(
            lambda: StunProtocol(connection), sock=bound
        )
        connection._protocols.append(protocol)
        protocol.local_candidate = _host_candidate(*bound.getsockname()[:2])
        protocols.append(protocol)
    # Without addresses, it asks the TURN server only.
    asked: list[asyncio.Task[list[Candidate]]] = [
        asyncio.create_task(
            connection.get_component_candidates(component=_COMPONENT, addresses=[])
        ),
        *(
            asyncio.create_task(_reflexive_candidate(protocol, connection.stun_server))
            for protocol in protocols
            if connection.stun_server and ip_address(protocol.local_candidate.host).version == 4
        ),
    ]
    answered, silent = await asyncio.wait(asked, timeout=SERVERS_ANSWER_SECONDS)
    for task in silent:
        task.cancel()
    found = [each for task in answered if task.exception() is None for each in task.result()]
    return [*(protocol.local_candidate for protocol in protocols), *found]


async def _reflexive_candidate(
    protocol: StunProtocol, stun_server: tuple[str, int]
) -> list[Candidate]:
    candidate, _ = await server_reflexive_candidate(protocol, stun_server)
    return [candidate]


def _advertised(found: Sequence[Candidate], addresses: Sequence[str]) -> list[Candidate]:
    """The machine's own candidates under its other addresses."""
    return [
        _host_candidate(address, candidate.port)
        for candidate in found
        if candidate.type == "host"
        for address in addresses
        if ip_address(address).version == ip_address(candidate.host).version
    ]


def _host_candidate(address: str, port: int) -> Candidate:
    return Candidate(
        foundation=candidate_foundation("host", "udp", address),
        component=_COMPONENT,
        transport="udp",
        priority=candidate_priority(_COMPONENT, "host"),
        host=address,
        port=port,
        type="host",
    )


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

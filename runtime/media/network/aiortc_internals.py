"""Every place where we reach into private parts of aiortc and aioice, but for what they let in
(``aiortc_guards.py``).

Nothing else in the product may use a private name of these libraries. ``pyproject.toml`` pins both
to the minor release that these files were written for, and
``tests/runtime/media/network/test_aiortc_internals.py`` fails with the name that is missing when an
upgrade has changed one.
"""

from __future__ import annotations

import asyncio
import random
import socket
from collections.abc import Callable, Sequence
from ipaddress import ip_address

import structlog
from aioice import Candidate, Connection
from aioice.candidate import candidate_foundation, candidate_priority
from aioice.ice import StunProtocol, get_host_addresses, server_reflexive_candidate
from aioice.stun import TransactionError
from aioice.turn import UDP_SOCKET_BUFFER_SIZE
from aiortc import RTCPeerConnection, RTCRtpReceiver
from aiortc.rtp import RtpPacket

from runtime.media.network.media_network import MediaNetwork, NoFreePort, PortRange

logger = structlog.get_logger(__name__)

ANY_PORT = MediaNetwork()
_COMPONENT = 1
"""RTP and RTCP share it (RFC 5761)."""
SERVERS_ANSWER_SECONDS = 5.0
"""How long STUN and TURN servers may take, as in aioice. A leg does without a silent one."""
HANDSHAKE_REPEATED_AFTER_SECONDS = (0.04, 0.12)
"""When each datagram of a handshake is sent once more, counted from the first time."""
CONSENT_CHECKED_EVERY_SECONDS = (4.0, 6.0)
CONSENT_EXPIRES_SECONDS = 30.0
"""After the last check that was answered (RFC 7675, section 5.1)."""
CONSENT_RETRANSMISSIONS = 3
"""Of a check, after 0.5, 1.5 and 3.5 s. It waits 7.5 s in all."""
LIVENESS_RETRANSMISSIONS = 1
"""Of the question whether a silent peer is there. It waits 1.5 s in all."""
_JITTER_BUFFER = "_RTCRtpReceiver__jitter_buffer"
_RUN_REPORTS = "_run_rtcp"
_SEND, _DTLS_FIRST_BYTES = "_send", range(20, 64)
_QUERY_CONSENT = "query_consent"


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


def repeat_handshake(peer: RTCPeerConnection) -> None:
    """Send each datagram of the DTLS handshake more than once. Call it before
    ``setLocalDescription`` for a peer whose media share one transport.

    Reaches for ``RTCIceTransport._send``. OpenSSL waits 1 s for an answer before it repeats, then
    2 s and 4 s (RFC 6347, section 4.2.4.1), so that one lost datagram is a second of silence. The
    other side drops copies by their record number (section 4.1.2.6). A way to set OpenSSL's timer
    would replace this.
    """
    (transceiver, *_) = peer.getTransceivers()
    dtls = transceiver.receiver.transport
    ice = dtls.transport
    send = ice._send
    repeating: set[asyncio.Task[None]] = set()

    async def repeat(datagram: bytes) -> None:
        sent_at = asyncio.get_running_loop().time()
        for after in HANDSHAKE_REPEATED_AFTER_SECONDS:
            await asyncio.sleep(sent_at + after - asyncio.get_running_loop().time())
            try:
                await send(datagram)
            except ConnectionError:
                return

    async def send_surely(datagram: bytes) -> None:
        await send(datagram)
        if datagram[0] in _DTLS_FIRST_BYTES and dtls.state == "connecting":
            task = asyncio.create_task(repeat(datagram), name="repeat-handshake")
            repeating.add(task)
            task.add_done_callback(repeating.discard)

    setattr(ice, _SEND, send_surely)


def wait_for_consent(peer: RTCPeerConnection) -> None:
    """Let a peer behind a slow network answer consent checks late. Call it before
    ``setLocalDescription``.

    Reaches for ``Connection.query_consent`` and ``_query_consent_task``. aioice sends each check
    once and waits 0.5 s, so where packets need longer than that to go and come back, it ended the
    connection after 30 s although the peer had answered every check. A configurable time limit of
    the checks would replace this.
    """
    connection = ice_connection(peer)

    async def query_consent() -> None:
        loop = asyncio.get_running_loop()
        answered_at = loop.time()
        while loop.time() - answered_at < CONSENT_EXPIRES_SECONDS:
            await asyncio.sleep(random.uniform(*CONSENT_CHECKED_EVERY_SECONDS))
            if await answers_binding_request(peer, CONSENT_RETRANSMISSIONS):
                answered_at = loop.time()
        logger.info("media.consent_expired")
        # Otherwise ``close`` would wait for this task.
        connection._query_consent_task = None
        await connection.close()

    setattr(connection, _QUERY_CONSENT, query_consent)


async def answers_binding_request(
    peer: RTCPeerConnection, retransmissions: int = LIVENESS_RETRANSMISSIONS
) -> bool:
    """Send a STUN binding request on the selected pair and wait for the response.

    Reaches for ``Connection._nominated`` and the pair's protocol. A public method of aioice that
    checks consent once would replace this.
    """
    connection = ice_connection(peer)
    password = (connection.remote_password or "").encode()
    for pair in list(connection._nominated.values()):
        try:
            await pair.protocol.request(
                connection.build_request(pair, nominate=False),
                pair.remote_addr,
                integrity_key=password,
                retransmissions=retransmissions,
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

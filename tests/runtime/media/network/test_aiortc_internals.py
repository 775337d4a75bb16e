"""What we use of aiortc's and aioice's private parts is there, and is what it was.

When an upgrade fails one of these tests, read the new release's code, adapt
``runtime/media/network/aiortc_internals.py``, ``aiortc_guards.py`` and this file, and
move the pins in ``pyproject.toml``.
"""

from __future__ import annotations

import asyncio
import inspect
import socket
from collections.abc import AsyncIterator, Callable
from importlib.metadata import version
from types import SimpleNamespace
from typing import Any

import aioice.ice
import pytest
from aioice import Connection
from aioice.ice import CandidatePair, StunProtocol
from aiortc import (
    RTCBundlePolicy,
    RTCConfiguration,
    RTCDtlsTransport,
    RTCIceServer,
    RTCPeerConnection,
    RTCSctpTransport,
)
from aiortc.jitterbuffer import JitterBuffer
from aiortc.rtp import RtpPacket

from runtime.media.audio.outgoing_track import OutgoingTrack
from runtime.media.network.aiortc_guards import MOST_CHOSEN_ADDRESSES, _PeerAddresses
from runtime.media.network.aiortc_internals import (
    answers_binding_request,
    gather_candidates,
    host_addresses,
    ice_connection,
    tap_packets,
)
from runtime.media.network.media_network import MediaNetwork
from tests.runtime.media.free_ports import free_ports

ADAPT = "adapt runtime/media/network/aiortc_internals.py to this release"


@pytest.fixture
async def peer() -> AsyncIterator[RTCPeerConnection]:
    connection = RTCPeerConnection(
        RTCConfiguration(iceServers=[], bundlePolicy=RTCBundlePolicy.MAX_BUNDLE)
    )
    connection.addTrack(OutgoingTrack())
    yield connection
    await connection.close()


def parameters(function: Callable[..., object]) -> list[str]:
    return list(inspect.signature(function).parameters)


def test_the_releases_are_those_that_the_file_was_written_for() -> None:
    found = [version(name).rsplit(".", 1)[0] for name in ("aiortc", "aioice")]
    assert found == ["1.16", "0.13"], f"aiortc and aioice are {found}: {ADAPT}"


def test_a_receiver_has_the_jitter_buffer_that_the_tap_replaces(peer: RTCPeerConnection) -> None:
    receiver = peer.getTransceivers()[0].receiver
    buffer = vars(receiver).get("_RTCRtpReceiver__jitter_buffer")
    assert isinstance(buffer, JitterBuffer), f"RTCRtpReceiver has no jitter buffer: {ADAPT}"
    assert parameters(JitterBuffer.add) == ["self", "packet"], f"JitterBuffer.add: {ADAPT}"


def test_the_jitter_buffer_s_answer_is_a_flag_and_a_frame() -> None:
    answer = JitterBuffer(capacity=16, prefetch=4).add(RtpPacket(payload_type=96))
    assert answer == (False, None), f"JitterBuffer.add returns {answer}: {ADAPT}"


async def test_the_receiver_gives_its_packets_to_the_tap(peer: RTCPeerConnection) -> None:
    receiver = peer.getTransceivers()[0].receiver
    received: list[RtpPacket] = []
    tap_packets(receiver, received.append)
    packet = RtpPacket(payload_type=96)
    buffer = vars(receiver)["_RTCRtpReceiver__jitter_buffer"]
    assert buffer.add(packet) == (False, None)
    assert received == [packet]


def test_a_receiver_without_a_jitter_buffer_is_an_error() -> None:
    with pytest.raises(RuntimeError, match="_RTCRtpReceiver__jitter_buffer"):
        tap_packets(object(), lambda _: None)  # type: ignore[arg-type]


def test_a_connection_has_the_state_of_gathering_that_is_set(peer: RTCPeerConnection) -> None:
    state = vars(ice_connection(peer))
    expected = {
        "_local_candidates": [],
        "_local_candidates_start": False,
        "_local_candidates_end": False,
        "_nominated": {},
        "_check_list": [],
        "_protocols": [],
    }
    found = {name: state.get(name, "missing") for name in expected}
    assert found == expected, f"aioice.Connection: {ADAPT}"


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (aioice.Connection.get_component_candidates, ["self", "component", "addresses", "timeout"]),
        (aioice.Connection.build_request, ["self", "pair", "nominate"]),
        (StunProtocol.request, ["self", "request", "addr", "integrity_key", "retransmissions"]),
        (CandidatePair, ["protocol", "remote_candidate"]),
        (aioice.ice.get_host_addresses, ["use_ipv4", "use_ipv6"]),
        (aioice.ice.server_reflexive_candidate, ["protocol", "stun_server"]),
        (StunProtocol, ["receiver"]),
        (StunProtocol.datagram_received, ["self", "data", "addr"]),
        (aioice.Connection.data_received, ["self", "data", "component"]),
        (RTCDtlsTransport._recv_next, ["self"]),
        (RTCSctpTransport._handle_data, ["self", "data"]),
        (RTCSctpTransport._receive_data_chunk, ["self", "chunk"]),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_a_function_takes_what_it_is_called_with(
    function: Callable[..., object], expected: list[str]
) -> None:
    assert parameters(function) == expected, f"{function}: {ADAPT}"


def test_a_transport_knows_whether_its_handshake_is_over(peer: RTCPeerConnection) -> None:
    transport = peer.getTransceivers()[0].receiver.transport
    assert transport.encrypted is False, f"RTCDtlsTransport.encrypted: {ADAPT}"


def test_an_ice_transport_sends_through_its_connection(peer: RTCPeerConnection) -> None:
    ice = peer.getTransceivers()[0].receiver.transport.transport
    assert vars(ice).get("_send") == ice_connection(peer).send, f"RTCIceTransport._send: {ADAPT}"


def test_an_association_has_the_state_that_bounds_it(peer: RTCPeerConnection) -> None:
    peer.createDataChannel("any")
    assert peer.sctp is not None
    state = vars(peer.sctp)
    expected = {"_inbound_streams": {}, "_sack_misordered": set(), "_advertised_rwnd": 1 << 20}
    found = {name: state.get(name, "missing") for name in expected}
    assert found == expected, f"RTCSctpTransport: {ADAPT}"


async def test_only_the_given_addresses_are_offered_and_gathered_once(
    peer: RTCPeerConnection,
) -> None:
    await gather_candidates(peer, ["127.0.0.1"])
    await peer.setLocalDescription()
    sdp = peer.localDescription.sdp
    hosts = [line.split()[4] for line in sdp.splitlines() if line.startswith("a=candidate:")]
    assert hosts == ["127.0.0.1"], f"gathering: {ADAPT}"


async def test_a_range_of_ports_is_kept_to_and_other_addresses_are_offered_with_the_same_port(
    peer: RTCPeerConnection,
) -> None:
    ports = free_ports(4)
    network = MediaNetwork(ports=ports, advertised_addresses=("203.0.113.9", "2001:db8::9"))
    await gather_candidates(peer, ["127.0.0.1"], network)
    await peer.setLocalDescription()
    offered = [
        line.split()[4:6]
        for line in peer.localDescription.sdp.splitlines()
        if line.startswith("a=candidate:")
    ]
    (_, port), *_ = offered
    assert offered == [["127.0.0.1", port], ["203.0.113.9", port]], f"gathering: {ADAPT}"
    assert ports.first <= int(port) <= ports.last


async def test_a_silent_stun_server_holds_no_leg_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("runtime.media.network.aiortc_internals.SERVERS_ANSWER_SECONDS", 0.2)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as silent:
        silent.bind(("127.0.0.1", 0))
        stun = RTCIceServer(urls=f"stun:127.0.0.1:{silent.getsockname()[1]}")
        peer = RTCPeerConnection(
            RTCConfiguration(iceServers=[stun], bundlePolicy=RTCBundlePolicy.MAX_BUNDLE)
        )
        peer.addTrack(OutgoingTrack())
        try:
            async with asyncio.timeout(3):
                await gather_candidates(peer, ["127.0.0.1"], MediaNetwork(ports=free_ports(2)))
            assert [each.type for each in ice_connection(peer)._local_candidates] == ["host"]
        finally:
            await peer.close()


async def test_nobody_answers_before_a_pair_is_selected(peer: RTCPeerConnection) -> None:
    assert not await answers_binding_request(peer)


def test_the_machine_s_addresses_are_texts() -> None:
    assert all(isinstance(address, str) for address in host_addresses())


def known_pairs(**states: CandidatePair.State) -> Any:
    """What ``aioice.Connection`` keeps of its pairs, by the name of the remote address."""
    pairs = [
        SimpleNamespace(remote_addr=(name, 5000), state=state, State=CandidatePair.State)
        for name, state in states.items()
    ]
    return SimpleNamespace(_nominated={}, _check_list=pairs, check_incoming=lambda *_: None)


def test_before_a_pair_is_nominated_a_peer_may_send_from_each_address_that_is_checked() -> None:
    connection = known_pairs(
        checked=CandidatePair.State.SUCCEEDED, unchecked=CandidatePair.State.IN_PROGRESS
    )
    addresses = _PeerAddresses(connection)
    assert ("checked", 5000) in addresses
    assert ("unchecked", 5000) in addresses
    assert ("stranger", 5000) not in addresses


def test_then_it_may_send_from_those_whose_check_succeeded() -> None:
    connection = known_pairs(
        ours=CandidatePair.State.SUCCEEDED,
        checked=CandidatePair.State.SUCCEEDED,
        unchecked=CandidatePair.State.IN_PROGRESS,
    )
    addresses = _PeerAddresses(connection)
    connection._nominated[1] = connection._check_list[0]
    assert ("ours", 5000) in addresses
    assert ("checked", 5000) in addresses
    assert ("unchecked", 5000) not in addresses


def test_and_from_the_one_that_it_has_nominated_itself() -> None:
    """aioice ends our own check of it as soon as another pair is nominated."""
    connection = known_pairs(
        ours=CandidatePair.State.SUCCEEDED, theirs=CandidatePair.State.IN_PROGRESS
    )
    addresses = _PeerAddresses(connection)
    connection._nominated[1] = connection._check_list[0]
    connection.check_incoming(SimpleNamespace(attributes={}), ("theirs", 5000), None)
    assert ("theirs", 5000) not in addresses
    nominating = SimpleNamespace(attributes={"USE-CANDIDATE": None})
    connection.check_incoming(nominating, ("theirs", 5000), None)
    assert ("theirs", 5000) in addresses


def test_a_peer_that_nominates_without_end_is_known_by_its_newest_addresses() -> None:
    connection = known_pairs(ours=CandidatePair.State.SUCCEEDED)
    addresses = _PeerAddresses(connection)
    connection._nominated[1] = connection._check_list[0]
    nominating = SimpleNamespace(attributes={"USE-CANDIDATE": None})
    for port in range(MOST_CHOSEN_ADDRESSES + 1):
        connection.check_incoming(nominating, ("192.0.2.1", port), None)
    assert ("192.0.2.1", 0) not in addresses
    assert all(("192.0.2.1", port) in addresses for port in range(1, MOST_CHOSEN_ADDRESSES + 1))


def test_a_request_that_nominates_comes_to_the_connection_when_it_is_authenticated() -> None:
    assert parameters(Connection.check_incoming) == ["self", "message", "addr", "protocol"], ADAPT
    assert "USE-CANDIDATE" in inspect.getsource(Connection.check_incoming), ADAPT

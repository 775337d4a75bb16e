"""What we use of aiortc's and aioice's private parts is there, and is what it was.

When an upgrade fails one of these tests, read the new release's code, adapt
``runtime/media/network/aiortc_internals.py`` and this file, and move the pins in
``pyproject.toml``.
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
from runtime.media.network.aiortc_internals import (
    _is_peer,
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


def test_a_peer_may_send_on_each_pair_that_ice_has_checked() -> None:
    """Each side nominates the pair whose check succeeds first on that side."""
    nominated, checked, unchecked = (
        SimpleNamespace(
            remote_addr=(f"192.0.2.{number}", 5000), state=state, State=CandidatePair.State
        )
        for number, state in enumerate(
            (
                CandidatePair.State.SUCCEEDED,
                CandidatePair.State.SUCCEEDED,
                CandidatePair.State.IN_PROGRESS,
            )
        )
    )
    connection: Any = SimpleNamespace(_nominated={}, _check_list=[nominated, checked, unchecked])
    assert all(_is_peer(connection, pair.remote_addr) for pair in connection._check_list)
    connection._nominated[1] = nominated
    assert _is_peer(connection, nominated.remote_addr)
    assert _is_peer(connection, checked.remote_addr)
    assert not _is_peer(connection, unchecked.remote_addr)
    assert not _is_peer(connection, ("198.51.100.1", 5000))

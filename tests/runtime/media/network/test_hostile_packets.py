"""Datagrams that are no audio, from strangers and from the caller, to a leg that is heard."""

from __future__ import annotations

import asyncio
import random
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, get_args

import numpy as np
import pytest
from aiortc import RTCDtlsTransport
from aiortc.rtcrtpreceiver import StreamStatistics
from google_crc32c import value as crc32c
from OpenSSL import SSL

from runtime.media import webrtc_leg
from runtime.media.local_room import LocalRoom
from runtime.media.network.aiortc_guards import DropReason
from runtime.media.network.aiortc_internals import ice_connection
from runtime.media.network.packet_form import is_stun, is_well_formed
from runtime.media.network.packet_sources import MOST_SOURCES
from telemetry.metrics import PACKETS_DROPPED
from tests.runtime.media.loopback_peer import LoopbackPeer
from tests.runtime.media.test_local_room import joined, listen, loud, quiet, until

HZ = 440
PATTERNS = {
    "empty": b"",
    "one byte of DTLS": b"\x16",
    "no known protocol": b"\x50" * 40,
    "longer than an SRTP packet can be": b"\x80\x6f" + bytes(3_000),
    "RTP without a header": b"\x80\x6f",
    "RTCP that nobody signed": b"\x80\xc8\x00\x06" + bytes(24),
    "RTP that nobody signed": b"\x80\x6f" + bytes(170),
    "a DTLS record that is cut off": b"\x16\xfe\xfd" + bytes(9) + b"\x40",
    "a DTLS record of garbage": b"\x17\xfe\xfd" + bytes(8) + b"\x00\x20" + b"\xaa" * 32,
    "a STUN request that nobody signed": b"\x00\x01\x00\x00\x21\x12\xa4\x42" + bytes(12),
    "a STUN request with a broken attribute": b"\x00\x01\x00\x08\x21\x12\xa4\x42"
    + bytes(12)
    + b"\x00\x06\xff\xff\x00\x00\x00\x00",
}

WELL_FORMED = (
    PATTERNS["RTP that nobody signed"],
    PATTERNS["RTCP that nobody signed"],
    PATTERNS["a DTLS record of garbage"],
    b"\x15\xfe\xfd" + bytes(8) + b"\x00\x02\x02\x28",
)
"""The last one says that the handshake has failed."""


@pytest.fixture
async def room() -> AsyncIterator[LocalRoom]:
    room = LocalRoom("test")
    yield room
    await room.aclose()


async def test_a_stranger_ends_no_call_with_a_datagram(room: LocalRoom) -> None:
    async with joined(room) as peer:
        with socket.socket(_family(peer), socket.SOCK_DGRAM) as stranger:
            for name, datagram in PATTERNS.items():
                stranger.sendto(datagram, _address_of_the_leg(peer))
                await assert_is_heard(room, peer, f"after {name}")


async def test_a_caller_with_a_broken_stack_stays_in_the_call(room: LocalRoom) -> None:
    async with joined(room) as peer:
        for name, datagram in PATTERNS.items():
            await ice_connection(peer.connection).send(datagram)
            await assert_is_heard(room, peer, f"after {name}")


async def test_what_is_not_well_formed_is_dropped_before_anything_reads_it(
    room: LocalRoom,
) -> None:
    malformed = [each for each in PATTERNS.values() if not (is_stun(each) or is_well_formed(each))]
    # asyncio sends no empty datagram.
    sent = [each for each in malformed if each]
    async with joined(room) as peer:
        before = _dropped()
        for datagram in sent:
            await ice_connection(peer.connection).send(datagram)
        await until(lambda: _dropped()["malformed"] >= before["malformed"] + len(sent))
        assert _dropped() == before | {"malformed": before["malformed"] + len(sent)}


async def test_a_stranger_s_well_formed_packets_are_dropped(room: LocalRoom) -> None:
    assert all(map(is_well_formed, WELL_FORMED))
    async with joined(room) as peer:
        before = _dropped()
        with socket.socket(_family(peer), socket.SOCK_DGRAM) as stranger:
            for datagram in WELL_FORMED:
                stranger.sendto(datagram, _address_of_the_leg(peer))
            expected = before["stranger"] + len(WELL_FORMED)
            await until(lambda: _dropped()["stranger"] >= expected)
        assert _dropped() == before | {"stranger": expected}
        await assert_is_heard(room, peer)


async def test_not_even_the_caller_s_own_audio_is_taken_from_another_address(
    room: LocalRoom,
) -> None:
    async with joined(room) as peer:
        before = _dropped()["stranger"]
        with _audio_from_elsewhere(peer):
            peer.say(HZ)
            await until(lambda: _dropped()["stranger"] >= before + 25)
            assert np.abs(await listen(room, 0.1)).max() < 100
        await loud(room, HZ)


async def test_a_packet_that_causes_an_exception_ends_no_call(
    room: LocalRoom, monkeypatch: pytest.MonkeyPatch
) -> None:
    failed = []

    async def fail(*_: object, **__: object) -> None:
        failed.append(True)
        raise IndexError("a bug in a parser")

    async with joined(room) as peer:
        (leg,) = room._legs.values()
        transport = leg._peer.getTransceivers()[0].receiver.transport
        with monkeypatch.context() as broken:
            broken.setattr(transport, "_handle_rtp_data", fail)
            await until(lambda: len(failed) > 3)
        await assert_is_heard(room, peer)


async def test_noise_from_everywhere_ends_no_call(room: LocalRoom) -> None:
    dice = random.Random(1)
    async with joined(room) as peer:
        with socket.socket(_family(peer), socket.SOCK_DGRAM) as stranger:
            for _ in range(2_000):
                noise = dice.randbytes(dice.choice((0, 1, 2, 12, 13, 20, 100, 1_400)))
                stranger.sendto(noise, _address_of_the_leg(peer))
                await ice_connection(peer.connection).send(noise)
                await asyncio.sleep(0)
        await assert_is_heard(room, peer)


async def assert_is_heard(room: LocalRoom, peer: LoopbackPeer, when: str = "") -> None:
    peer.say(HZ)
    try:
        await loud(room, HZ)
    except TimeoutError:
        pytest.fail(f"the caller is not heard {when}")
    peer.say(None)
    await quiet(room)


@contextmanager
def _audio_from_elsewhere(peer: LoopbackPeer) -> Iterator[None]:
    """What the caller sends, other than for ICE, leaves from a port that ICE does not know."""
    with socket.socket(_family(peer), socket.SOCK_DGRAM) as elsewhere, ExitStack() as stack:
        for protocol in ice_connection(peer.connection)._protocols:
            transport = protocol.transport
            known = transport.sendto

            def send(data: bytes, to: tuple[str, int], known: Any = known) -> None:
                if is_stun(data):
                    known(data, to)
                else:
                    elsewhere.sendto(data, to)

            transport.sendto = send
            stack.callback(delattr, transport, "sendto")
        yield


def _dropped() -> dict[str, float]:
    """How many packets this process has dropped, by the reason."""
    return {each: PACKETS_DROPPED.labels(each)._value.get() for each in get_args(DropReason)}


def _address_of_the_leg(peer: LoopbackPeer) -> tuple[str, int]:
    (pair,) = ice_connection(peer.connection)._nominated.values()
    host, port = pair.remote_addr
    return host, port


def _family(peer: LoopbackPeer) -> socket.AddressFamily:
    host, _ = _address_of_the_leg(peer)
    return socket.AF_INET6 if ":" in host else socket.AF_INET


async def test_a_data_channel_packet_whose_parameter_has_no_length_stalls_nothing(
    room: LocalRoom,
) -> None:
    init = b"\x01\x00\x00\x18" + bytes(16) + b"\x80\x08\x00\x00"
    header = b"\x13\x88\x13\x88" + bytes(4)
    checksum = crc32c(header + bytes(4) + init).to_bytes(4, "little")
    async with joined(room) as peer:
        await _transport(peer)._send_data(header + checksum + init)
        await assert_is_heard(room, peer)


async def test_a_caller_who_names_a_new_source_in_each_packet_is_held_to_a_few(
    room: LocalRoom,
) -> None:
    async with joined(room) as peer:
        (leg,) = room._legs.values()
        receiver = leg._peer.getTransceivers()[0].receiver
        (payload_type,) = receiver._RTCRtpReceiver__codecs
        for source in range(1, 200):
            packet = bytes([0x80, payload_type, *bytes(6)]) + source.to_bytes(4, "big") + b"\xf8"
            await _transport(peer)._send_rtp(packet)
            await asyncio.sleep(0)
        await assert_is_heard(room, peer)
        kept = receiver._RTCRtpReceiver__remote_streams
        assert 2 <= len(kept) <= MOST_SOURCES


async def test_a_report_that_cannot_be_written_does_not_keep_a_call_from_ending(
    room: LocalRoom, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def too_large(_: StreamStatistics) -> int:
        asked.append(True)
        return 2**32

    monkeypatch.setattr(StreamStatistics, "jitter", property(too_large))
    async with joined(room):
        await until(lambda: len(asked) > 2)
        async with asyncio.timeout(2):
            await room.aclose()


async def test_a_connection_that_does_not_close_does_not_keep_a_call_from_ending(
    room: LocalRoom, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def never() -> None:
        await asyncio.Event().wait()

    monkeypatch.setattr(webrtc_leg, "CLOSE_TIMEOUT_SECONDS", 0.1)
    async with joined(room):
        (leg,) = room._legs.values()
        with monkeypatch.context() as hung:
            hung.setattr(leg._peer, "close", never)
            async with asyncio.timeout(2):
                await room.aclose()
        await leg._peer.close()


async def test_a_connection_whose_encryption_is_broken_frees_its_ports(
    room: LocalRoom, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(_: bytes) -> int:
        raise SSL.Error([])

    async with joined(room):
        (leg,) = room._legs.values()
        assert isinstance(leg, webrtc_leg.WebRtcLeg)
        (transceiver,) = leg._peer.getTransceivers()
        monkeypatch.setattr(transceiver.sender.transport._ssl, "send", broken)
        await room.aclose()
        assert leg._peer.connectionState == "closed"
        assert ice_connection(leg._peer)._protocols == []


def _transport(peer: LoopbackPeer) -> RTCDtlsTransport:
    (transceiver,) = peer.connection.getTransceivers()
    return transceiver.sender.transport

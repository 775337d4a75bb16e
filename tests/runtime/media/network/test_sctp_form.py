from __future__ import annotations

from struct import pack

import pytest
from aiortc.rtcsctptransport import (
    Chunk,
    DataChunk,
    ForwardTsnChunk,
    HeartbeatChunk,
    InitChunk,
    SackChunk,
    serialize_packet,
)

from runtime.media.network.sctp_form import MOST_STREAMS, is_harmless


def packet(chunk: Chunk) -> bytes:
    return serialize_packet(5000, 5000, 1, chunk)


def of(kind: int, body: bytes) -> bytes:
    return packet(_Raw(kind, body))


class _Raw(Chunk):
    def __init__(self, kind: int, body: bytes) -> None:
        super().__init__(body=body)
        self.type = kind


def sack(*gaps: tuple[int, int]) -> bytes:
    chunk = SackChunk()
    chunk.gaps = list(gaps)
    return packet(chunk)


def message(characters: int) -> bytes:
    chunk = DataChunk(flags=3)
    chunk.user_data = b"x" * characters
    return packet(chunk)


def init() -> bytes:
    chunk = InitChunk()
    chunk.params = [(49152, b""), (32776, b"\xc0\x82\x00")]
    return packet(chunk)


def heartbeat() -> bytes:
    chunk = HeartbeatChunk()
    chunk.params = [(1, b"12345")]
    return packet(chunk)


@pytest.mark.parametrize(
    "harmless", [message(0), message(1_100), init(), heartbeat(), sack(), sack((2, 4), (6, 300))]
)
def test_what_peers_send_passes(harmless: bytes) -> None:
    assert is_harmless(harmless)


@pytest.mark.parametrize("kind", [4, 5, 6, 9, 130])
def test_a_parameter_without_a_length_is_refused(kind: int) -> None:
    assert not is_harmless(of(kind, pack("!HH", 1, 0)))


def test_an_initiation_with_a_parameter_without_a_length_is_refused() -> None:
    assert not is_harmless(of(1, bytes(16) + pack("!HH", 1, 0)))


def test_a_parameter_that_is_longer_than_its_chunk_is_refused() -> None:
    assert not is_harmless(of(4, pack("!HH", 1, 400)))


def test_an_acknowledgement_of_more_than_can_be_on_its_way_is_refused() -> None:
    assert not is_harmless(sack(*[(1, 65_535)] * 300))


@pytest.mark.parametrize("gap", [(5, 4), (65_535, 0)])
def test_a_gap_that_ends_before_it_begins_is_refused(gap: tuple[int, int]) -> None:
    assert not is_harmless(sack(gap))


def test_an_acknowledgement_that_is_cut_off_is_refused() -> None:
    assert not is_harmless(of(3, bytes(8) + pack("!HH", 9, 0)))


def test_a_skip_of_many_streams_is_refused() -> None:
    chunk = ForwardTsnChunk()
    chunk.streams = [(stream, 1) for stream in range(MOST_STREAMS)]
    assert is_harmless(packet(chunk))
    chunk.streams.append((MOST_STREAMS, 1))
    assert not is_harmless(packet(chunk))


@pytest.mark.parametrize("broken", [b"", b"x" * 12, message(10)[:-4], bytes(12) + b"\0\0\0\0"])
def test_a_packet_without_whole_chunks_is_refused(broken: bytes) -> None:
    assert not is_harmless(broken)

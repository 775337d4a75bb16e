"""Which SCTP packets may reach a leg's association. Pure.

What is refused here would keep aiortc busy for seconds or for ever: it trusts the lengths and
ranges that are in a packet (RFC 9260, section 3).
"""

from __future__ import annotations

from collections.abc import Iterator
from struct import unpack_from

MOST_STREAMS = 64
"""In one FORWARD TSN chunk. Legs use one stream."""
MOST_ACKNOWLEDGED = 4_096
"""Chunks in the gap blocks of one SACK. No leg has so many on their way."""

_COMMON_HEADER_BYTES = 12
_HEADER_BYTES = 4
_INIT, _INIT_ACK, _SACK, _FORWARD_TSN = 1, 2, 3, 192
_PARAMETERS_AT = {_INIT: 16, _INIT_ACK: 16, 4: 0, 5: 0, 6: 0, 9: 0, 130: 0}
"""Where the parameters begin in the body of a chunk: also of HEARTBEAT, its acknowledgement, ABORT,
ERROR and RE-CONFIG."""
_SACK_HEADER_BYTES = 12


def is_harmless(packet: bytes) -> bool:
    """Whether its chunks and their parameters have the lengths that they say, and it names no more
    chunks and streams than a leg can have."""
    chunks = list(_records(packet, _COMMON_HEADER_BYTES))
    return bool(chunks) and all(_is_harmless_chunk(packet, *chunk) for chunk in chunks)


def _is_harmless_chunk(packet: bytes, start: int, end: int) -> bool:
    if end < 0:
        return False
    kind, body = packet[start], packet[start + _HEADER_BYTES : end]
    if kind == _SACK:
        return _is_harmless_sack(body)
    if kind == _FORWARD_TSN:
        return _HEADER_BYTES <= len(body) <= _HEADER_BYTES * (1 + MOST_STREAMS)
    if kind in _PARAMETERS_AT:
        return all(last >= 0 for _, last in _records(body, _PARAMETERS_AT[kind]))
    return True


def _is_harmless_sack(body: bytes) -> bool:
    if len(body) < _SACK_HEADER_BYTES:
        return False
    gaps, duplicates = unpack_from("!HH", body, 8)
    if len(body) < _SACK_HEADER_BYTES + 4 * (gaps + duplicates):
        return False
    acknowledged = 0
    for at in range(_SACK_HEADER_BYTES, _SACK_HEADER_BYTES + 4 * gaps, 4):
        first, last = unpack_from("!HH", body, at)
        if last < first:
            return False
        acknowledged += last - first + 1
    return acknowledged <= MOST_ACKNOWLEDGED


def _records(data: bytes, at: int) -> Iterator[tuple[int, int]]:
    """The start and end of each chunk or parameter: a header of four bytes, the last two of which
    are the length. They are padded to whole words. The end is -1 if the length cannot be true."""
    while at + _HEADER_BYTES <= len(data):
        (length,) = unpack_from("!H", data, at + 2)
        if length < _HEADER_BYTES or at + length > len(data):
            yield at, -1
            return
        yield at, at + length
        at += length + -length % 4

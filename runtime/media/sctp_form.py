"""Which SCTP packets may reach the data channels' transport. Pure."""

from __future__ import annotations

from collections.abc import Iterator

_PACKET_HEADER_BYTES = 12
_HEADER_BYTES = 4
"""Of a chunk and of a parameter: the last two are the length, with the header and without the
padding (RFC 9260, sections 3.2 and 3.2.1)."""
_PARAMETERS_AT = {
    1: 16,  # INIT
    2: 16,  # INIT ACK
    4: 0,  # HEARTBEAT
    5: 0,  # HEARTBEAT ACK
    6: 0,  # ABORT
    9: 0,  # ERROR
    130: 0,  # RE-CONFIG (RFC 6525)
}
"""By type of chunk, where its parameters begin."""


def has_whole_parameters(packet: bytes) -> bool:
    """Whether each parameter of each chunk has its header and ends within its chunk.

    aiortc goes from parameter to parameter by their lengths, so one with the length zero would keep
    it, and every call of its process, forever.
    """
    for kind, body in _chunks(packet):
        at = _PARAMETERS_AT.get(kind)
        if at is not None and not _are_whole(body[at:]):
            return False
    return True


def _chunks(packet: bytes) -> Iterator[tuple[int, bytes]]:
    """Type and body of each chunk, up to the first that is not whole."""
    at = _PACKET_HEADER_BYTES
    while at + _HEADER_BYTES <= len(packet):
        length = int.from_bytes(packet[at + 2 : at + 4], "big")
        if length < _HEADER_BYTES:
            return
        yield packet[at], packet[at + _HEADER_BYTES : at + length]
        at += _padded(length)


def _are_whole(parameters: bytes) -> bool:
    at = 0
    while at + _HEADER_BYTES <= len(parameters):
        length = int.from_bytes(parameters[at + 2 : at + 4], "big")
        if length < _HEADER_BYTES or at + length > len(parameters):
            return False
        at += _padded(length)
    return True


def _padded(length: int) -> int:
    return length + -length % 4

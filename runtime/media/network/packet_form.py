"""Which datagrams may reach a leg's DTLS, SRTP and SCTP. Pure.

Their first byte says what they are (RFC 7983, section 7).
"""

from __future__ import annotations

LARGEST_BYTES = 1_500
"""The MTU of Ethernet. No WebRTC peer sends more, and libsrtp cannot hold much more."""

_STUN = range(4)
_DTLS = range(20, 64)
_DTLS_1_3 = range(32, 64)
"""Records with a short header, which need not give their length (RFC 9147, section 4)."""
_SRTP = range(128, 192)
_RTCP_TYPES = range(192, 224)
"""Of the second byte (RFC 5761, section 4)."""
_DTLS_HEADER_BYTES = 13
_RTP_HEADER_BYTES = 12
_RTCP_HEADER_BYTES = 8


def is_stun(datagram: bytes) -> bool:
    """Whether it says that it is STUN: then it is for ICE."""
    return bool(datagram) and datagram[0] in _STUN


def is_well_formed(datagram: bytes) -> bool:
    """Whether it is DTLS, SRTP or SRTCP with whole headers, and not too long."""
    if not 2 <= len(datagram) <= LARGEST_BYTES:
        return False
    if datagram[0] in _SRTP:
        is_rtcp = datagram[1] in _RTCP_TYPES
        return len(datagram) >= (_RTCP_HEADER_BYTES if is_rtcp else _RTP_HEADER_BYTES)
    return datagram[0] in _DTLS and _holds_whole_records(datagram)


def source_of(packet: bytes) -> int | None:
    """The SSRC of RTP or RTCP, encrypted or not (RFC 3550, sections 5.1 and 6.4). ``None``: it is
    neither, or cut off."""
    if len(packet) < _RTCP_HEADER_BYTES or packet[0] not in _SRTP:
        return None
    at = 4 if packet[1] in _RTCP_TYPES else 8
    return int.from_bytes(packet[at : at + 4], "big")


def _holds_whole_records(datagram: bytes) -> bool:
    """Whether the DTLS records fill the datagram (RFC 6347, section 4.1)."""
    at = 0
    while at < len(datagram):
        if datagram[at] in _DTLS_1_3:
            return True
        if datagram[at] not in _DTLS or at + _DTLS_HEADER_BYTES > len(datagram):
            return False
        at += _DTLS_HEADER_BYTES + int.from_bytes(datagram[at + 11 : at + 13], "big")
    return at == len(datagram)

"""Takes RTP packets from aiortc's receiver as they arrive, still encoded.

aiortc holds four audio packets back before it decodes the first (80 ms), and decodes in a thread of
its own. A conversation cannot spare either.
"""

from __future__ import annotations

from collections.abc import Callable

from aiortc import RTCRtpReceiver
from aiortc.rtp import RtpPacket

_JITTER_BUFFER = "_RTCRtpReceiver__jitter_buffer"


class _ArrivalOrder:
    """Stands where aiortc's jitter buffer stood and never has a frame for its decoder."""

    def __init__(self, on_packet: Callable[[RtpPacket], None]) -> None:
        self._on_packet = on_packet

    def add(self, packet: RtpPacket) -> tuple[bool, None]:
        self._on_packet(packet)
        return False, None


def tap_packets(receiver: RTCRtpReceiver, on_packet: Callable[[RtpPacket], None]) -> None:
    """From now on ``on_packet`` gets the receiver's packets, and its track none.

    Raises:
        RuntimeError: this release of aiortc is built differently (there is no public way in).
    """
    if not hasattr(receiver, _JITTER_BUFFER):
        raise RuntimeError("aiortc keeps its jitter buffer elsewhere in this release")
    setattr(receiver, _JITTER_BUFFER, _ArrivalOrder(on_packet))

"""Puts a leg's packets in order and returns one per frame, with as little delay as the network
allows.

The buffer has no fixed delay. A packet that comes too late for its frame leaves a gap, and the
packets after it wait one frame longer, so the delay grows exactly as much as the jitter needs. The
reader removes a surplus later (``runtime.media.incoming_audio``).

Sequence numbers are RTP's: 16 bits, wrapping (RFC 3550, section 5.1).
"""

from __future__ import annotations

CAPACITY_PACKETS = 25
"""Half a second at 20 ms. Beyond that, the oldest packets are dropped."""

_RESTART_DISTANCE = 1_000
"""A larger jump means a new stream, not loss (RFC 3550, appendix A.1: MAX_DROPOUT 3000)."""


class JitterBuffer:
    """Pure: ``push`` packets, ``pop`` one packet or ``None`` per frame."""

    def __init__(self, capacity: int = CAPACITY_PACKETS) -> None:
        self._capacity = capacity
        self._packets: dict[int, bytes] = {}
        self._next: int | None = None
        self._starved = 0

    def __len__(self) -> int:
        """Packets held."""
        return len(self._packets)

    def push(self, sequence: int, payload: bytes) -> None:
        """Keep a packet until its turn. Drops a packet that is too late or already held."""
        if self._next is None:
            self._next = sequence
        position = self._next + _signed_distance(sequence, self._next)
        if abs(position - self._next) > _RESTART_DISTANCE:
            self._packets.clear()
            self._next = position = sequence
        if position < self._next:
            return
        self._packets.setdefault(position, payload)
        if len(self._packets) > self._capacity:
            del self._packets[min(self._packets)]
            self._next = min(self._packets)

    def pop(self) -> bytes | None:
        """The packet of the next frame, or ``None`` if it is lost or has not come yet."""
        if self._next is None or not self._packets:
            self._starved += 1
            return None
        # Frames without a packet have already stood in for the lost packets. Waiting for those
        # again would turn every loss into a permanent delay.
        missing = min(self._packets) - self._next
        self._next += min(missing, self._starved)
        self._starved = 0
        payload = self._packets.pop(self._next, None)
        self._next += 1
        return payload


def _signed_distance(sequence: int, reference: int) -> int:
    return (sequence - reference + 0x8000) % 0x10000 - 0x8000

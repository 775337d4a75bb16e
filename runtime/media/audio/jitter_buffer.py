"""Puts a leg's packets in order and gives them out when they are due, with as little delay as the
network allows. Packets may be of any length, and of different lengths.

The buffer has no fixed delay. A packet that comes too late for its turn leaves a gap, and the
packets after it wait longer, so the delay grows exactly as much as the jitter needs. The reader
removes a surplus later (``runtime.media.audio.incoming_audio``).

Sequence numbers are RTP's: 16 bits, wrapping (RFC 3550, section 5.1). Lengths are in samples at
48 kHz.
"""

from __future__ import annotations

from collections import deque
from typing import NamedTuple

CAPACITY_SAMPLES = 24_000
"""Half a second. Beyond that, the oldest packets are dropped."""

_RESTART_DISTANCE = 1_000
"""A larger jump means a new stream, not loss (RFC 3550, appendix A.1: MAX_DROPOUT 3000)."""

_REMEMBERED = 50
"""How many packets that were given up are remembered, should they still come."""


class Packet(NamedTuple):
    payload: bytes
    samples: int


class Turn(NamedTuple):
    """What is due. ``packet`` is ``None`` if it was lost (later ones are there) or if nothing has
    come."""

    packet: Packet | None
    following: Packet | None = None
    """The packet right after a lost one, if it is there."""
    skipped: bool = False
    """Packets before this one were lost, and what stood in for them was already played."""


class JitterBuffer:
    """Pure: ``push`` packets, ``pop`` one turn after the other."""

    def __init__(self, capacity_samples: int = CAPACITY_SAMPLES) -> None:
        self._capacity_samples = capacity_samples
        self._packets: dict[int, Packet] = {}
        self._next: int | None = None
        self._starved_samples = 0
        self._given_up: deque[int] = deque(maxlen=_REMEMBERED)
        self.waiting_samples = 0
        """The length of the packets held."""

    def __len__(self) -> int:
        """Packets held."""
        return len(self._packets)

    def push(self, sequence: int, packet: Packet) -> int:
        """Keep a packet until its turn. Drops one that is too late or already held.

        Returns:
            By how many samples it missed its turn; 0 if it was in time or came twice.
        """
        if self._next is None:
            self._next = sequence
        position = self._next + _signed_distance(sequence, self._next)
        if abs(position - self._next) > _RESTART_DISTANCE:
            self._clear()
            self._next = position = sequence
        if position < self._next:
            if position not in self._given_up:
                return 0
            self._given_up.remove(position)
            return (self._next - position) * packet.samples
        if position not in self._packets:
            self._packets[position] = packet
            self.waiting_samples += packet.samples
        while self.waiting_samples > self._capacity_samples and len(self._packets) > 1:
            self._take(min(self._packets))
            self._next = min(self._packets)
        return 0

    def pop(self, needed_samples: int) -> Turn:
        """The next turn.

        Args:
            needed_samples: how much the reader makes up if nothing has come.
        """
        if self._next is None or not self._packets:
            self._starved_samples += needed_samples
            return Turn(None)
        # What was made up has already stood in for lost packets. Waiting for those again would turn
        # every loss into a permanent delay.
        first = min(self._packets)
        stood_in = self._starved_samples // self._packets[first].samples
        skipped = min(first - self._next, stood_in)
        self._given_up.extend(range(self._next, self._next + skipped))
        self._next += skipped
        self._starved_samples = 0
        packet = self._take(self._next) if self._next == first else None
        if packet is None:
            self._given_up.append(self._next)
        self._next += 1
        following = self._packets.get(self._next) if packet is None else None
        return Turn(packet, following, skipped > 0)

    def _take(self, position: int) -> Packet:
        packet = self._packets.pop(position)
        self.waiting_samples -= packet.samples
        return packet

    def _clear(self) -> None:
        self._packets.clear()
        self._given_up.clear()
        self.waiting_samples = 0


def _signed_distance(sequence: int, reference: int) -> int:
    return (sequence - reference + 0x8000) % 0x10000 - 0x8000

"""How many packets should wait behind the one being played, learned from the packets' own lateness.

A steady network needs none. When packets were late, as many as then waited would have bridged the
gap: that becomes the target. It is given up again, one packet at a time, once nothing came close to
needing it for ten seconds.
"""

from __future__ import annotations

MOST_PACKETS = 5
_WINDOW_FRAMES = 500


class PlayoutDelay:
    """Pure: told once per frame what waits, it says how much should (``target_packets``)."""

    def __init__(self) -> None:
        self.target_packets = 0
        self._starving = False
        self._frames = 0
        self._least_waiting = MOST_PACKETS

    def starved(self) -> None:
        """A frame was due and no packet was there."""
        self._starving = True

    def played(self, waiting_packets: int) -> None:
        """A packet was played; ``waiting_packets`` are still there behind it.

        After a pause of the sender (discontinuous transmission) packets come one by one again and
        nothing waits; after lateness they come together.
        """
        if self._starving:
            learned = min(waiting_packets, MOST_PACKETS)
            self.target_packets = max(self.target_packets, learned)
            self._starving = False
        self._least_waiting = min(self._least_waiting, waiting_packets)
        self._frames += 1
        if self._frames == _WINDOW_FRAMES:
            if self._least_waiting > 0:
                self.target_packets = max(0, self.target_packets - 1)
            self._frames, self._least_waiting = 0, MOST_PACKETS

"""How many packets should wait behind the one being played, learned from how late packets are.

A steady network needs none. After packets were late, as many packets wait as would have bridged the
gap, and that number becomes the target. The target shrinks by one packet whenever it was not needed
for ten seconds.
"""

from __future__ import annotations

MOST_PACKETS = 5
_WINDOW_FRAMES = 500


class PlayoutDelay:
    """Pure: call ``played`` or ``starved`` once per frame and read ``target_packets``."""

    def __init__(self) -> None:
        self.target_packets = 0
        self._starving = False
        self._frames = 0
        self._least_waiting = MOST_PACKETS

    def starved(self) -> None:
        """A frame was due, but there was no packet."""
        self._starving = True

    def played(self, waiting_packets: int) -> None:
        """A packet was played, and ``waiting_packets`` wait behind it.

        After the sender has paused (discontinuous transmission), packets come one by one and none
        waits. After a delay in the network they come together.
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

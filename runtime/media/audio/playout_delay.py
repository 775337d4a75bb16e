"""How much sound should wait behind what is being played, learned from how late packets are.

A steady network needs none. After packets were late, as much waits as would have bridged the gap,
and that becomes the target. The target shrinks by one frame whenever it was not needed for ten
seconds.

All lengths are in samples at 48 kHz.
"""

from __future__ import annotations

MOST_SAMPLES = 11_520
"""240 ms: the jitter of a bad mobile network. A conversation bears no more."""
STEP_SAMPLES = 960
_WINDOW_SAMPLES = 480_000


class PlayoutDelay:
    """Pure: tell it what happens and read ``target_samples``."""

    def __init__(self) -> None:
        self.target_samples = 0
        self._starving = False
        self._played_samples = 0
        self._least_waiting = MOST_SAMPLES

    def starved(self) -> None:
        """Sound was due, but there was no packet."""
        self._starving = True

    def late(self, delay_samples: int) -> None:
        """A packet came after its turn. With this delay it would have been in time."""
        self._need(delay_samples)

    def recoverable(self, packet_samples: int) -> None:
        """A packet was lost, and the next one has a copy of it. To use such copies, the next packet
        has to be there when one is missing."""
        self._need(packet_samples)

    def played(self, samples: int, waiting_samples: int) -> None:
        """A packet was played, and so much waits behind it.

        After the sender has paused (discontinuous transmission), packets come one by one and none
        waits. After a delay in the network they come together.
        """
        if self._starving:
            self.target_samples = max(self.target_samples, min(waiting_samples, MOST_SAMPLES))
            self._starving = False
        self._least_waiting = min(self._least_waiting, waiting_samples)
        self._played_samples += samples
        if self._played_samples >= _WINDOW_SAMPLES:
            if self._least_waiting > 0:
                self.target_samples = max(0, self.target_samples - STEP_SAMPLES)
            self._played_samples, self._least_waiting = 0, MOST_SAMPLES

    def _need(self, delay_samples: int) -> None:
        self.target_samples = max(self.target_samples, min(delay_samples, MOST_SAMPLES))
        self._least_waiting = 0

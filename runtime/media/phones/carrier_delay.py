"""How long a carrier holds our sound before the phone plays it. Pure.

Some frames are marked, and the carrier reports when it has played them. Frames leave in real time,
so what is true of a marked frame is true of those around it.
"""

from __future__ import annotations

from collections import OrderedDict

LONGEST_SECONDS = 1.0
"""A report that takes longer never comes: carriers drop marks, too."""


class CarrierDelay:
    """Until the first report the phone is taken to play at once, as a clock would.

    Times are monotonic, in seconds.
    """

    def __init__(self) -> None:
        self._awaited: OrderedDict[int, float] = OrderedDict()
        """When each marked frame was sent, by its sequence, oldest first."""
        self._measured: float | None = None

    def sent(self, sequence: int, now: float) -> None:
        """A marked frame has left."""
        while self._awaited and now - next(iter(self._awaited.values())) > LONGEST_SECONDS:
            self._awaited.popitem(last=False)
        self._awaited[sequence] = now

    def played(self, sequence: int, now: float) -> None:
        """The phone has played a frame to its end. Reports of others are ignored."""
        if (sent_at := self._awaited.get(sequence)) is None:
            return
        while self._awaited.popitem(last=False)[0] != sequence:
            pass  # What was sent before it was played, too.
        if now - sent_at <= LONGEST_SECONDS:
            self._measured = now - sent_at

    def flushed(self) -> None:
        """No report comes for what was sent. What is sent next is heard as late as before, until
        the carrier tells."""
        self._awaited.clear()

    def seconds(self, now: float) -> float:
        """Between sending a frame now and the end of its sound. It grows while a report is due."""
        if self._measured is None:
            return 0.0
        for sent_at in self._awaited.values():
            if now - sent_at <= LONGEST_SECONDS:
                return max(self._measured, now - sent_at)
        return self._measured

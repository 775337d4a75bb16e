"""How much sound is on its way, so that none is heard late. Pure."""

from __future__ import annotations

from contracts.phone_media import FRAME_MS

MOST_HELD_MS = 200
"""A carrier plays what it holds to the end when its own flush fails, so it must never hold more."""
MOST_WAITING_FRAMES = MOST_HELD_MS // FRAME_MS
"""On a connection that takes less than it is given. What is heard late keeps all that follows
late."""


def too_much_waits(waiting_bytes: int, frame: str | bytes) -> bool:
    """Whether a connection has so much left to send that ``frame`` is to be dropped."""
    return waiting_bytes > MOST_WAITING_FRAMES * len(frame)


class Allowance:
    """What a carrier may bring: so much at once, and on the whole so much a second.

    A carrier whose connection was held up brings together what it has kept. Nobody speaks, or
    presses keys, faster than that for long.
    """

    def __init__(self, at_once: float, per_second: float, now: float) -> None:
        self._most = self._left = at_once
        self._per_second = per_second
        self._counted_at = now

    def takes(self, amount: float, now: float) -> bool:
        """Whether ``amount`` is allowed at ``now`` (monotonic, in seconds); ``False``: drop it."""
        passed_seconds = now - self._counted_at
        self._counted_at = now
        self._left = min(self._most, self._left + passed_seconds * self._per_second)
        if amount > self._left:
            return False
        self._left -= amount
        return True


class Pacing:
    """Counts what was sent to a carrier and is not played yet, if it plays in real time.

    The worker sends in real time. Only after a stall do frames come together; those that would be
    heard late are dropped.
    """

    def __init__(self, most_held_ms: int = MOST_HELD_MS) -> None:
        self._most_held_seconds = most_held_ms / 1000
        self._played_until = float("-inf")
        self.dropped_frames = 0

    def may_send(self, duration_ms: int, now: float) -> bool:
        """Whether a frame is to be sent at ``now`` (monotonic, in seconds); ``False``: drop it."""
        held_seconds = max(0.0, self._played_until - now)
        if held_seconds + duration_ms / 1000 > self._most_held_seconds + 1e-9:
            self.dropped_frames += 1
            return False
        self.sent(duration_ms, now)
        return True

    def sent(self, duration_ms: int, now: float) -> None:
        """Something was sent at ``now`` that must not be dropped."""
        self._played_until = max(self._played_until, now) + duration_ms / 1000

    def flushed(self, now: float) -> None:
        """The carrier was told to drop what it holds."""
        self._played_until = now

    def held_ms(self, now: float) -> float:
        return max(0.0, self._played_until - now) * 1000

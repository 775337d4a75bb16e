"""Is a participant still there? Decided from the packets that come, long before ICE gives up.

ICE consent (RFC 7675) expires after 30 s, which is too long for a person who waits for an agent,
and for a bill. A peer that sends audio is heard fifty times a second. A peer that has stopped
sending gets a STUN binding request, which every ICE agent answers. If it does not, the participant
is away, and may come back on the same connection or on a new one until it counts as lost.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

Verdict = Literal["alive", "ask", "away", "lost"]

ASK_AFTER_SECONDS = 1.0
AWAY_AFTER_SECONDS = 2.5
LOST_AFTER_SECONDS = 20.0
_LONGEST_STEP_SECONDS = 1.0


def _nobody_waits() -> None:
    return


class Liveness:
    """Pure: call ``heard`` for each packet and ``judge`` about twice a second. One participant has
    one, whichever connection its packets come over."""

    def __init__(self, now_seconds: float, lost_after_seconds: float | None = None) -> None:
        self._lost_after_seconds = lost_after_seconds or LOST_AFTER_SECONDS
        self._counted_to = now_seconds
        """``silent_seconds`` is the silence until then."""
        self.silent_seconds = 0.0
        """How long nothing had come when it was last judged."""
        self.on_return: Callable[[], None] = _nobody_waits
        """Called with the first packet of a participant who was judged to be away. The agent speaks
        on and the meter runs from then on, so nobody may wait for the next ``judge``."""

    def heard(self, now_seconds: float) -> None:
        """The participant sent something that was authenticated."""
        was_away = self.silent_seconds >= AWAY_AFTER_SECONDS
        self.silent_seconds = 0.0
        self._counted_to = now_seconds
        if was_away:
            self.on_return()

    def judge(self, now_seconds: float) -> Verdict:
        """Whether the participant is alive, should be asked, is away, or is lost.

        The time since the last call or packet counts as one second at most. If this process was
        stalled, the peer's packets are still waiting to be read, so the peer is not to blame.
        """
        self.silent_seconds += min(now_seconds - self._counted_to, _LONGEST_STEP_SECONDS)
        self._counted_to = now_seconds
        if self.silent_seconds >= self._lost_after_seconds:
            return "lost"
        if self.silent_seconds >= AWAY_AFTER_SECONDS:
            return "away"
        return "ask" if self.silent_seconds >= ASK_AFTER_SECONDS else "alive"

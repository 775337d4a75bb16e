"""Is the peer still there? Decided from the packets that it sends, long before ICE gives up.

ICE consent (RFC 7675) expires after 30 s, which is too long for a person who waits for an agent,
and for a bill. A peer that sends audio is heard fifty times a second. A peer that has stopped
sending gets a STUN binding request, which every ICE agent answers. If it does not, it is lost.
"""

from __future__ import annotations

from typing import Literal

Verdict = Literal["alive", "ask", "lost"]

ASK_AFTER_SECONDS = 1.0
LOST_AFTER_SECONDS = 5.0
_LONGEST_STEP_SECONDS = 1.0


class Liveness:
    """Pure: call ``heard`` for each packet and ``judge`` about twice a second."""

    def __init__(self, now_seconds: float) -> None:
        self._judged_at = now_seconds
        self._silent_seconds = 0.0

    def heard(self) -> None:
        """The peer sent something that was authenticated."""
        self._silent_seconds = 0.0

    def judge(self, now_seconds: float) -> Verdict:
        """Whether the peer is alive, should be asked, or is lost.

        The time since the last call counts as one second at most. If this process was stalled, the
        peer's packets are still waiting to be read, so the peer is not to blame.
        """
        self._silent_seconds += min(now_seconds - self._judged_at, _LONGEST_STEP_SECONDS)
        self._judged_at = now_seconds
        if self._silent_seconds >= LOST_AFTER_SECONDS:
            return "lost"
        return "ask" if self._silent_seconds >= ASK_AFTER_SECONDS else "alive"

"""Is the peer still there? Decided from what is heard of it, long before ICE gives up.

ICE consent (RFC 7675) expires after 30 s: too long for a person who waits for an agent, or a bill
that runs. A peer that sends audio is heard fifty times a second. One that has fallen silent is
asked (a STUN binding request, which every ICE agent answers), and only silence on that is a loss.
"""

from __future__ import annotations

from typing import Literal

Verdict = Literal["alive", "ask", "lost"]

ASK_AFTER_SECONDS = 1.0
LOST_AFTER_SECONDS = 5.0
_LONGEST_STEP_SECONDS = 1.0


class Liveness:
    """Pure: told what is heard, asked about twice a second."""

    def __init__(self, now_seconds: float) -> None:
        self._judged_at = now_seconds
        self._silent_seconds = 0.0

    def heard(self) -> None:
        """Anything authentic came from the peer."""
        self._silent_seconds = 0.0

    def judge(self, now_seconds: float) -> Verdict:
        """What to think of the peer now.

        A step is counted as one second at most: if this process stood still, the peer's packets are
        still waiting to be read and nothing can be held against it.
        """
        self._silent_seconds += min(now_seconds - self._judged_at, _LONGEST_STEP_SECONDS)
        self._judged_at = now_seconds
        if self._silent_seconds >= LOST_AFTER_SECONDS:
            return "lost"
        return "ask" if self._silent_seconds >= ASK_AFTER_SECONDS else "alive"

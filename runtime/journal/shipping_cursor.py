"""Which of one call's events to send next, and when to send some of them again. Pure."""

from __future__ import annotations

LAG_SECONDS = 10.0
LONGEST_LAG_SECONDS = 300.0


class ShippingCursor:
    """``next_seq`` is the next event to send, ``applied_seq`` the last one known to be applied.

    Events that were sent but not applied are sent again from ``applied_seq + 1`` when Redis was
    restarted (it may have lost the newest ones), or when nothing was applied for ``LAG_SECONDS``.
    The wait doubles each time nothing has changed, so that a control plane that was down for an
    hour does not find an hour of repeated events.
    """

    def __init__(self, now: float) -> None:
        self.next_seq = 1
        self.applied_seq = 0
        self._progress_at = now
        self._patience_seconds = LAG_SECONDS

    def sent(self, last_seq: int, now: float) -> None:
        """Everything up to ``last_seq`` was sent."""
        if self.next_seq == self.applied_seq + 1:
            self._progress_at = now
        self.next_seq = last_seq + 1

    def applied(self, seq: int, now: float) -> None:
        """The control plane has applied everything up to ``seq``."""
        if seq > self.applied_seq:
            self._progress_at = now
            self._patience_seconds = LAG_SECONDS
            self.next_seq = max(self.next_seq, seq + 1)
        self.applied_seq = seq
        if now - self._progress_at >= self._patience_seconds and self.next_seq > seq + 1:
            self._progress_at = now
            self._patience_seconds = min(self._patience_seconds * 2, LONGEST_LAG_SECONDS)
            self.next_seq = seq + 1

    def link_restarted(self, seq: int, now: float) -> None:
        """Redis was restarted, and the first ``seq`` events are applied. Send all others again."""
        self.applied_seq = seq
        self.next_seq = seq + 1
        self._progress_at = now

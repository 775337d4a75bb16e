"""What a caller enters on the phone's keys, key by key. Pure.

``#`` ends an entry, and is no part of it. Without it an entry ends when no key came for a while.
"""

from __future__ import annotations

ENTRY_PAUSE_SECONDS = 3.0
"""Long enough to look up the next digits of a card."""
LONGEST_ENTRY = 64
END_OF_ENTRY = "#"


class Keypad:
    """Of one participant. ``now`` is monotonic, in seconds."""

    def __init__(self) -> None:
        self._digits = ""
        self._ends_at: float | None = None

    def pressed(self, digits: str, now: float) -> list[str]:
        """The entries that ``digits`` complete. An empty one, a lone ``#``, is an entry, too: it
        confirms."""
        entries = []
        for digit in digits:
            if digit != END_OF_ENTRY:
                self._digits += digit
            if digit == END_OF_ENTRY or len(self._digits) == LONGEST_ENTRY:
                entries.append(self._take() or END_OF_ENTRY)
        self._ends_at = now + ENTRY_PAUSE_SECONDS if self._digits else None
        return entries

    @property
    def ends_at(self) -> float | None:
        """When the entry that was begun ends by itself; ``None``: there is none."""
        return self._ends_at

    def due(self, now: float) -> str | None:
        """The entry that has ended by itself by ``now``."""
        if self._ends_at is None or now < self._ends_at:
            return None
        self._ends_at = None
        return self._take()

    def _take(self) -> str:
        digits, self._digits = self._digits, ""
        return digits

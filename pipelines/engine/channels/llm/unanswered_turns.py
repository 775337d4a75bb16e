"""How many of the caller's turns in a row no model has answered. Pure."""

from __future__ import annotations


class UnansweredTurns:
    """Sentences of ours are no answers. Several requests may belong to one turn: the engine asks
    early, and again after a tool call."""

    def __init__(self) -> None:
        self._latest: int | None = None
        self._count = 0

    def unanswered(self, turn: int) -> int:
        """Nothing has answered a request of the turn with this number. Returns the count."""
        if turn != self._latest:
            self._latest = turn
            self._count += 1
        return self._count

    def answered(self) -> None:
        self._latest = None
        self._count = 0

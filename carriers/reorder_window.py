"""Puts numbered pieces back into their order. Pure."""

from __future__ import annotations

from typing import Generic, TypeVar

WINDOW = 3
"""Pieces that may wait for a missing one: 60 ms of 20 ms frames."""
MAX_LATE_IN_A_ROW = 25
"""More than the window can explain: the numbers began again."""

T = TypeVar("T")


class ReorderWindow(Generic[T]):
    """Passes on at once what comes in order, and what comes twice only once.

    It waits for a missing piece until ``window`` later ones are there. Later than that it is
    dropped.
    """

    def __init__(self, window: int = WINDOW) -> None:
        self._window = window
        self._next: int | None = None
        self._waiting: dict[int, T] = {}
        self._late_in_a_row = 0

    def put(self, number: int, piece: T) -> list[T]:
        """What can be passed on now."""
        if self._next is None:
            # A first piece above 1 may have overtaken the real first one.
            self._next = min(number, 1)
        if number < self._next:
            self._late_in_a_row += 1
            if self._late_in_a_row <= MAX_LATE_IN_A_ROW:
                return []
            self._next = number
            self._waiting.clear()
        self._late_in_a_row = 0
        self._waiting[number] = self._waiting.get(number, piece)
        if self._next not in self._waiting and len(self._waiting) >= self._window:
            self._next = min(self._waiting)
        return self._in_order()

    def rest(self) -> list[T]:
        """What still waits, at the end of the stream."""
        pieces = [self._waiting[number] for number in sorted(self._waiting)]
        self._waiting.clear()
        return pieces

    def _in_order(self) -> list[T]:
        assert self._next is not None
        pieces = []
        while self._next in self._waiting:
            pieces.append(self._waiting.pop(self._next))
            self._next += 1
        return pieces

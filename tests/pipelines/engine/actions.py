"""A call that notes what its conversation asks of it."""

from __future__ import annotations

from typing import Literal


class NotedActions:
    def __init__(self) -> None:
        self.ended = 0
        self.slots: dict[str, str] = {}
        self.lines: list[tuple[str, str]] = []

    def end_call(self) -> None:
        self.ended += 1

    def collected_slots(self, slots: dict[str, str]) -> None:
        self.slots = slots

    def log(self, level: Literal["info", "warning", "error"], message: str) -> None:
        self.lines.append((level, message))

"""Limits on the work of filling in one agent's texts."""

from __future__ import annotations

from dataclasses import dataclass

MAX_TAGS = 500
"""In texts with more than plain placeholders. Each tag takes about 0.2 ms to compile."""
MAX_TAG_CHARACTERS = 500
MAX_DEPTH = 12
"""Of blocks and expressions inside each other."""


class TemplateFault(ValueError):
    """A text cannot be filled in. ``message`` is for its author; ``line`` is counted from 1."""

    def __init__(self, message: str, line: int = 1) -> None:
        super().__init__(message)
        self.message = message
        self.line = line


@dataclass(slots=True)
class TemplateBudget:
    """Counts down with every text that is filled in.

    The limits are counts and not times, so that a busy machine gives the same result.
    """

    tags: int = MAX_TAGS
    steps: int = 10_000
    """Evaluated expressions and loop iterations."""
    characters: int = 500_000
    """Length of the filled-in texts."""

    def take_tags(self, count: int) -> None:
        self.tags -= count
        if self.tags < 0:
            raise TemplateFault(
                f"has too many tags: the texts with logic of an agent may have {MAX_TAGS} in all"
            )

    def take_steps(self, count: int) -> None:
        self.steps -= count
        if self.steps < 0:
            raise TemplateFault("takes too many steps to fill in; shorten its loops")

    def take_characters(self, count: int) -> None:
        self.characters -= count
        if self.characters < 0:
            raise TemplateFault("has more than 500,000 characters when it is filled in")

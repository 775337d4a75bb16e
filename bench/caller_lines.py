"""What callers say to agents of several businesses: two sentences with a pause, or one sentence."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path

_FILE = Path(__file__).with_name("caller_lines.toml")
_SHORTEST_PAUSE_MS = 300
_PAUSE_STEP_MS = 25
_PAUSES = 25
_STRIDE = 7
"""Has no divisor in common with ``_PAUSES``, so neighbours differ and every pause comes up."""


@dataclass(frozen=True)
class CallerLine:
    business: str
    asks: str
    """What the agent has asked."""
    first: str
    then: str | None
    """The second sentence."""
    pause_ms: int
    """Between the two, from 300 to 900."""


def caller_lines() -> list[CallerLine]:
    lines = tomllib.loads(_FILE.read_text())["lines"]
    return [
        CallerLine(
            business=line["business"],
            asks=line["asks"],
            first=line["first"],
            then=line.get("then"),
            pause_ms=_SHORTEST_PAUSE_MS + _PAUSE_STEP_MS * (number * _STRIDE % _PAUSES),
        )
        for number, line in enumerate(lines)
    ]

"""How long the vendors take."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Speed = Literal["instant", "cloud"]


@dataclass(frozen=True)
class Delays:
    final_seconds: float
    """From the last loud sample to the recogniser's final text. It cannot be 0: a recogniser needs
    some silence to know that it is one."""
    first_token_seconds: float
    token_seconds: float
    """Between two words of the language model."""
    first_byte_seconds: float
    voice_speed: float
    """How much faster than it is played the voice comes."""


DELAYS: dict[Speed, Delays] = {
    "instant": Delays(0.1, 0.0, 0.0, 0.0, float("inf")),
    "cloud": Delays(0.15, 0.25, 0.02, 0.15, 4.0),
}

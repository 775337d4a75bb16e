"""How a stand-in for a voice misbehaves, and the speech that it sends."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cache

import numpy as np
from numpy.typing import NDArray

Samples = NDArray[np.int16]

VOICE_HZ = 24_000
_AUDIBLE = 0.01


class VoiceFault(Enum):
    REFUSED = "refused"
    UNAUTHORIZED = "401"
    TOO_MANY = "429"
    BROKEN = "500"
    HANG_FIRST = "hang first"
    HANG_MID = "hang mid"
    DISCONNECT_MID = "disconnect mid"
    GARBAGE = "garbage"
    JSON = "json"
    SLOW = "slow x 10"

    @property
    def status(self) -> int | None:
        return int(self.value) if self.value.isdigit() else None


@dataclass
class Pace:
    first_byte_seconds: float = 0.05
    speed: float = 8.0
    """Times real time."""
    piece_seconds: float = 0.2

    def slower(self, times: float) -> Pace:
        return Pace(self.first_byte_seconds * times, self.speed / times, self.piece_seconds)


@dataclass
class Misbehaviour:
    """``left`` requests fail; ``None`` for all."""

    fault: VoiceFault | None = None
    left: int | None = None
    after_seconds: float = 1.0
    """How much sound comes before a fault in the middle."""

    def next(self) -> VoiceFault | None:
        """What the next request gets."""
        if self.left is None:
            return self.fault
        self.left -= 1
        return self.fault if self.left >= 0 else None


@cache
def _synthesiser() -> object:
    import hibari

    return hibari.Hibari()


@cache
def speech(text: str) -> Samples:
    """``text`` at ``VOICE_HZ``, as the offline voice says it."""
    audio = _synthesiser()(text, seed=0)  # type: ignore[operator]
    audible = np.flatnonzero(np.abs(audio) > _AUDIBLE)
    samples: Samples = (np.clip(audio[audible[0] :], -1, 1) * 32_767).astype(np.int16)
    return samples


@cache
def words_apart(text: str) -> tuple[tuple[str, Samples], ...]:
    """Each word of ``text`` by itself, with the silence after it: where it ends is known."""
    spoken = []
    for word in text.split():
        samples = speech(word)
        loud = np.flatnonzero(np.abs(samples) > _AUDIBLE * 32_767)
        rest = np.zeros(round(0.12 * VOICE_HZ), np.int16)
        spoken.append((word, np.concatenate((samples[: loud[-1]], rest))))
    return tuple(spoken)


def pieces(samples: Samples, seconds: float) -> Iterator[Samples]:
    size = round(seconds * VOICE_HZ)
    for begin in range(0, samples.size, size):
        yield samples[begin : begin + size]


def noise(samples: int) -> bytes:
    """Bytes of which any decoder makes nothing."""
    return np.random.default_rng(1).bytes(2 * samples)


def joined(parts: Sequence[Samples]) -> Samples:
    return np.concatenate(parts) if parts else np.empty(0, np.int16)

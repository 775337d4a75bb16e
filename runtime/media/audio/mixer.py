"""Who hears what in one 20 ms frame.

Each leg hears the agent and every other leg, but not itself (mix-minus). The engine hears every
leg, but not the agent.

Sums are limited softly: what is louder than the knee is compressed, more and more towards full
scale, by a curve without corners. It has no memory, so frames join without a click.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeVar

import numpy as np

from runtime.media.room import Samples

Key = TypeVar("Key")

_FULL_SCALE = 32_767
_KNEE = 24_576
"""-2.5 dBFS. A single voice is rarely louder."""
_HEADROOM = _FULL_SCALE - _KNEE


def mix(frames: Iterable[Samples], frame_samples: int) -> Samples:
    """The sum of ``frames``, each ``(frame_samples,)``; silence if there are none."""
    several = list(frames)
    if len(several) == 1:
        return several[0]
    total = np.zeros(frame_samples, np.int32)
    for frame in several:
        total += frame
    return _limited(total)


def mix_minus(agent: Samples, legs: Mapping[Key, Samples]) -> dict[Key, Samples]:
    """What each leg hears: ``agent`` and all ``legs`` except itself, all of one length."""
    if len(legs) == 1:
        return dict.fromkeys(legs, agent)
    everyone = agent.astype(np.int32)
    for frame in legs.values():
        everyone += frame
    return {key: _limited(everyone - own) for key, own in legs.items()}


def _limited(total: np.ndarray[tuple[int], np.dtype[np.int32]]) -> Samples:
    loudness = np.abs(total)
    if int(loudness.max(initial=0)) <= _KNEE:
        return total.astype(np.int16)
    excess = np.maximum(loudness - _KNEE, 0) / _HEADROOM
    limited = np.minimum(loudness, _KNEE) + _HEADROOM * np.tanh(excess)
    samples: Samples = np.copysign(limited, total).astype(np.int16)
    return samples

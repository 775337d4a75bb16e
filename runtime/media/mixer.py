"""Who hears what in one 20 ms frame.

Each leg hears the agent and every other leg, but not itself (mix-minus). The engine hears every
leg, but not the agent. Sums saturate.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeVar

import numpy as np

from runtime.media.room import Samples

Key = TypeVar("Key")

_INT16 = np.iinfo(np.int16)


def mix(frames: Iterable[Samples], frame_samples: int) -> Samples:
    """The sum of ``frames``, each ``(frame_samples,)``; silence if there are none."""
    several = list(frames)
    if len(several) == 1:
        return several[0]
    total = np.zeros(frame_samples, np.int32)
    for frame in several:
        total += frame
    return _saturate(total)


def mix_minus(agent: Samples, legs: Mapping[Key, Samples]) -> dict[Key, Samples]:
    """What each leg hears: ``agent`` and all ``legs`` except itself, all of one length."""
    if len(legs) == 1:
        return dict.fromkeys(legs, agent)
    everyone = agent.astype(np.int32)
    for frame in legs.values():
        everyone += frame
    return {key: _saturate(everyone - own) for key, own in legs.items()}


def _saturate(total: np.ndarray[tuple[int], np.dtype[np.int32]]) -> Samples:
    return np.clip(total, _INT16.min, _INT16.max).astype(np.int16)

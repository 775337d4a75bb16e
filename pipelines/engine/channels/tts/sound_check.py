"""Whether what a voice sends is sound. Pure."""

from __future__ import annotations

import numpy as np

from pipelines.engine.providers.local.speech_models import Samples

AUDIBLE = 100
"""Of 32,767, which is -50 dBFS."""
_LEAST_SAMPLES = 32
_MOST_TEXT = 0.98
_LEAST_OF_TEXT = 0x0909
"""Two characters as one sample."""
_NOISE_RMS = 10_000.0
_NOISE_CROSSINGS = 0.4
"""Of the samples. Speech that hisses so much is never so loud."""


def is_sound(samples: Samples) -> bool:
    """False for a text, such as an error document, and for bytes that are not PCM: as PCM they are
    loud noise. Cannot tell noise that is quieter than speech may be."""
    if samples.size < _LEAST_SAMPLES:
        return True
    lowest, highest = int(samples.min()), int(samples.max())
    if lowest >= _LEAST_OF_TEXT:
        values = samples.view(np.uint8)
        return float(np.mean((values >= 0x09) & (values < 0x7F))) <= _MOST_TEXT
    if highest < _NOISE_RMS:
        return True
    wide = samples.astype(np.float32)
    if float(np.sqrt(np.mean(wide * wide))) < _NOISE_RMS:
        return True
    crossings = np.count_nonzero(np.signbit(wide[1:]) != np.signbit(wide[:-1]))
    return bool(crossings < _NOISE_CROSSINGS * samples.size)


def is_audible(samples: Samples) -> bool:
    return bool(samples.size) and int(np.max(np.abs(samples.astype(np.int32)))) > AUDIBLE


def audible_size(samples: Samples) -> int:
    """How many samples there are up to the last that can be heard."""
    audible = np.flatnonzero(np.abs(samples.astype(np.int32)) > AUDIBLE)
    return int(audible[-1]) + 1 if audible.size else 0

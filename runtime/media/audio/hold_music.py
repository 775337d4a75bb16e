"""What somebody on hold hears: a calm piece that repeats, made here, so it needs no licence.

Four chords, each broken into soft notes that ring out. It stays within 200 to 1,200 Hz, which every
phone carries, and at about -26 dBFS, below speech.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from runtime.media.audio.opus import SAMPLE_HZ, SAMPLES_PER_FRAME
from runtime.media.room import Samples

_NOTE_SECONDS = 0.4
_RING_SECONDS = 1.6
_PEAK = 3_200
_CHORDS_HZ = (
    (220, 277, 330, 440),
    (247, 294, 392, 494),
    (262, 330, 349, 440),
    (247, 330, 415, 494),
)
_ORDER = (0, 1, 2, 3, 2, 1, 2, 3)


@cache
def _piece() -> Samples:
    """Whole frames, 48 kHz; its end joins its beginning."""
    notes = [chord[place] for chord in _CHORDS_HZ for place in _ORDER]
    length = round(len(notes) * _NOTE_SECONDS * SAMPLE_HZ)
    ring = np.arange(round(_RING_SECONDS * SAMPLE_HZ)) / SAMPLE_HZ
    envelope = np.minimum(ring / 0.02, 1.0) * np.exp(-ring * 2.5)
    sound = np.zeros(length, np.float32)
    for number, hz in enumerate(notes):
        tone = np.sin(2 * np.pi * hz * ring) + 0.3 * np.sin(4 * np.pi * hz * ring)
        first = round(number * _NOTE_SECONDS * SAMPLE_HZ)
        places = (first + np.arange(ring.size)) % length
        sound[places] += (tone * envelope).astype(np.float32)
    piece: Samples = (sound * (_PEAK / np.abs(sound).max())).astype(np.int16)
    return piece


class HoldMusic:
    """Plays from the beginning, for one leg."""

    def __init__(self) -> None:
        self._piece = _piece()
        self._position = 0

    def frame(self) -> Samples:
        """The next 20 ms at 48 kHz."""
        frame = self._piece[self._position : self._position + SAMPLES_PER_FRAME]
        self._position = (self._position + SAMPLES_PER_FRAME) % self._piece.size
        return frame

"""The last seconds of what a caller said, to be given to another recogniser."""

from __future__ import annotations

import numpy as np

from pipelines.engine.providers.local.speech_models import HEARING_RATE, Samples

_SAMPLE_BYTES = 2
_PAUSE_SAMPLES = HEARING_RATE // 50
"""20 ms: shorter than the closure of any consonant between two words."""


class AudioRing:
    """Mono PCM at ``HEARING_RATE``. Positions count samples from the first that ever came."""

    def __init__(self, seconds: float) -> None:
        self._size = int(seconds * HEARING_RATE)
        self._pcm = bytearray(self._size * _SAMPLE_BYTES)
        self.end = 0
        """The position after the last sample."""

    @property
    def start(self) -> int:
        """The oldest position that is still there."""
        return max(0, self.end - self._size)

    def append(self, pcm: memoryview) -> None:
        """Any number of samples, as bytes; of more than the ring holds, the last ones stay."""
        size, at = len(self._pcm), self.end * _SAMPLE_BYTES % len(self._pcm)
        self.end += len(pcm) // _SAMPLE_BYTES
        if at + len(pcm) <= size:
            self._pcm[at : at + len(pcm)] = pcm
            return
        pcm = pcm[-size:]
        at = self.end * _SAMPLE_BYTES % size
        # The last piece is at the front, up to where the next one goes, and the rest at the back.
        rest = len(pcm) - at
        self._pcm[:at] = pcm[rest:]
        self._pcm[size - rest :] = pcm[:rest]

    def read(self, start: int, end: int) -> Samples:
        """A copy of what is still there between two positions; may be empty."""
        start, end = max(start, self.start), min(end, self.end)
        if start >= end:
            return np.zeros(0, np.int16)
        whole = np.frombuffer(self._pcm, np.int16)
        first, last = start % self._size, (end - 1) % self._size + 1
        if first < last:
            return whole[first:last].copy()
        return np.concatenate([whole[first:], whole[:last]])

    def quietest(self, start: int, end: int) -> int:
        """The middle of the quietest 20 ms between two positions; ``start`` if nothing is there.

        Where to cut speech so that no word is cut.
        """
        start = max(start, self.start)
        samples = self.read(start, end).astype(np.int64)
        if len(samples) < _PAUSE_SAMPLES:
            return start
        energy = np.concatenate([[0], np.cumsum(samples * samples)])
        quietest = int(np.argmin(energy[_PAUSE_SAMPLES:] - energy[:-_PAUSE_SAMPLES]))
        return start + quietest + _PAUSE_SAMPLES // 2

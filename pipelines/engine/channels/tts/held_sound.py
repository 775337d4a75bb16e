"""Sound that has come in pieces and waits. Pure."""

from __future__ import annotations

from collections import deque

import numpy as np

from pipelines.engine.providers.local.speech_models import Samples


class HeldSound:
    """To add a piece costs the same however much is held."""

    def __init__(self) -> None:
        self._pieces: deque[Samples] = deque()
        self.size = 0
        """In samples."""

    def add(self, samples: Samples) -> None:
        if samples.size:
            self._pieces.append(samples)
            self.size += samples.size

    def take(self, count: int) -> Samples:
        """The first ``count`` samples, or all if there are fewer. They are no longer held."""
        taken: list[Samples] = []
        left = count
        while left > 0 and self._pieces:
            piece = self._pieces.popleft()
            if piece.size > left:
                self._pieces.appendleft(piece[left:])
                piece = piece[:left]
            left -= piece.size
            taken.append(piece)
        samples = _joined(taken)
        self.size -= samples.size
        return samples

    def last(self, count: int) -> Samples:
        """The last ``count`` samples, or all if there are fewer. They are still held."""
        if count <= 0:
            return _joined([])
        pieces: list[Samples] = []
        size = 0
        for piece in reversed(self._pieces):
            pieces.append(piece)
            size += piece.size
            if size >= count:
                break
        return _joined(pieces[::-1])[-count:]

    def whole(self) -> Samples:
        return self.last(self.size)

    def clear(self) -> None:
        self._pieces.clear()
        self.size = 0


def _joined(pieces: list[Samples]) -> Samples:
    if len(pieces) == 1:
        return pieces[0]
    return np.concatenate(pieces) if pieces else np.empty(0, np.int16)

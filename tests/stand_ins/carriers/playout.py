"""What a carrier has been given and has not yet played to the phone. Pure."""

from __future__ import annotations

from collections import deque

import numpy as np

from tests.stand_ins.carriers.sound import FRAME_MS, Samples


class Playout:
    """
    Args:
        rate: samples per second.
        held_ms: it begins to play once it has so much, as carriers do against jitter, and stays so
            late until it has played everything.
    """

    def __init__(self, rate: int, held_ms: int = 0) -> None:
        self._frame = rate * FRAME_MS // 1000
        self._held_samples = rate * held_ms // 1000
        self._is_playing = False
        self._queue: deque[Samples | str] = deque()
        self.queued_samples = 0
        self.longest_queue_samples = 0

    def push(self, samples: Samples) -> None:
        self._queue.append(samples)
        self.queued_samples += samples.size
        self.longest_queue_samples = max(self.longest_queue_samples, self.queued_samples)

    def mark(self, name: str) -> None:
        self._queue.append(name)

    def clear(self) -> list[str]:
        """Drops everything; returns the marks in it."""
        marks = [each for each in self._queue if isinstance(each, str)]
        self._queue.clear()
        self.queued_samples = 0
        self._is_playing = False
        return marks

    def tick(self) -> tuple[Samples, list[str]]:
        """The next 20 ms for the phone's ear, and the marks that were reached."""
        frame = np.zeros(self._frame, np.int16)
        filled = 0
        marks: list[str] = []
        self._is_playing = self._is_playing or self.queued_samples >= self._held_samples
        if not self._is_playing:
            return frame, marks
        while self._queue and (filled < self._frame or isinstance(self._queue[0], str)):
            piece = self._queue.popleft()
            if isinstance(piece, str):
                marks.append(piece)
                continue
            taken = piece[: self._frame - filled]
            frame[filled : filled + taken.size] = taken
            filled += taken.size
            if taken.size < piece.size:
                self._queue.appendleft(piece[taken.size :])
        self.queued_samples -= filled
        self._is_playing = self._is_playing and (self.queued_samples > 0 or not self._held_samples)
        return frame, marks

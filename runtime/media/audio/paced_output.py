"""The agent's voice: a queue that is filled faster than it is played, and cleared at once."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable

import numpy as np

from runtime.media.room import ENGINE_OUTPUT_HZ, FRAME_MS, Samples

SAMPLES_PER_FRAME = ENGINE_OUTPUT_HZ * FRAME_MS // 1000


class PacedOutput:
    """Implements ``runtime.media.room.AgentVoice``. The room's clock pulls one frame every
    ``FRAME_MS``.

    Frames that were pulled are sent at once. A carrier may hold them, and they are kept here until
    they were heard: so ``clear`` drops, and ``pause`` takes back, everything that was not heard.
    """

    def __init__(self) -> None:
        self.on_played: Callable[[int], None] | None = None
        self.on_cleared: Callable[[], None] | None = None
        """Called by ``clear``, even if nothing is queued: others may hold what was pulled. Also by
        ``pause``, if they hold something."""
        self._chunks: deque[Samples] = deque()
        self._unheard: deque[Samples] = deque()
        """What was queued of each frame that was pulled and not heard yet."""
        self._queued_samples = 0
        """With those that are not heard yet."""
        self._paused = False
        self._empty = asyncio.Event()
        self._empty.set()

    def push(self, samples: Samples) -> None:
        if not samples.size:
            return
        self._chunks.append(samples)
        self._queued_samples += samples.size
        self._empty.clear()

    def clear(self) -> float:
        dropped = self.queued_seconds
        self._chunks.clear()
        self._unheard.clear()
        self._queued_samples = 0
        self._empty.set()
        if self.on_cleared is not None:
            self.on_cleared()
        return dropped

    def pause(self) -> None:
        if self._paused:
            return
        self._paused = True
        taken_back = [each for each in self._unheard if each.size]
        self._unheard.clear()
        self._chunks.extendleft(reversed(taken_back))
        if taken_back and self.on_cleared is not None:
            self.on_cleared()

    def resume(self) -> None:
        self._paused = False

    @property
    def is_paused(self) -> bool:
        return self._paused

    @property
    def queued_seconds(self) -> float:
        return self._queued_samples / ENGINE_OUTPUT_HZ

    async def wait_played(self) -> None:
        await self._empty.wait()

    def pull(self, unheard_frames: int = 0) -> Samples:
        """The frame to send now: ``(SAMPLES_PER_FRAME,)``, with silence if too little is queued.

        Args:
            unheard_frames: how many of the newest frames nobody has heard yet, with this one.
        """
        frame = np.zeros(SAMPLES_PER_FRAME, np.int16)
        filled = 0 if self._paused else self._fill(frame)
        self._unheard.append(frame[:filled])
        while len(self._unheard) > unheard_frames:
            self._was_heard(self._unheard.popleft().size)
        return frame

    def _fill(self, frame: Samples) -> int:
        filled = 0
        while self._chunks and filled < SAMPLES_PER_FRAME:
            chunk = self._chunks.popleft()
            taken = chunk[: SAMPLES_PER_FRAME - filled]
            frame[filled : filled + taken.size] = taken
            filled += taken.size
            if taken.size < chunk.size:
                self._chunks.appendleft(chunk[taken.size :])
        return filled

    def _was_heard(self, samples: int) -> None:
        if not samples:
            return
        self._queued_samples -= samples
        if not self._queued_samples:
            self._empty.set()
        if self.on_played is not None:
            self.on_played(samples)

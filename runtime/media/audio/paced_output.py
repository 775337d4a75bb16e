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

    Frames that were pulled are sent at once, so ``clear`` drops everything that was not sent.
    """

    def __init__(self) -> None:
        self.on_played: Callable[[int], None] | None = None
        self.on_cleared: Callable[[], None] | None = None
        """Called by ``clear``, even if nothing is queued: others may hold what was pulled."""
        self._chunks: deque[Samples] = deque()
        self._queued_samples = 0
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
        self._queued_samples = 0
        self._empty.set()
        if self.on_cleared is not None:
            self.on_cleared()
        return dropped

    def pause(self) -> None:
        self._paused = True

    def resume(self) -> None:
        self._paused = False

    @property
    def queued_seconds(self) -> float:
        return self._queued_samples / ENGINE_OUTPUT_HZ

    async def wait_played(self) -> None:
        await self._empty.wait()

    def pull(self) -> Samples:
        """The frame to play now: ``(SAMPLES_PER_FRAME,)``, with silence if too little is queued."""
        frame = np.zeros(SAMPLES_PER_FRAME, np.int16)
        if self._paused or not self._chunks:
            return frame
        filled = 0
        while self._chunks and filled < SAMPLES_PER_FRAME:
            chunk = self._chunks.popleft()
            taken = chunk[: SAMPLES_PER_FRAME - filled]
            frame[filled : filled + taken.size] = taken
            filled += taken.size
            if taken.size < chunk.size:
                self._chunks.appendleft(chunk[taken.size :])
        self._queued_samples -= filled
        if not self._chunks:
            self._empty.set()
        if self.on_played is not None:
            self.on_played(filled)
        return frame

"""A caller in memory in front of an engine that has no room of ours.

Imports nothing of Switchboard: the process of ``bench.pipecat_calls`` has none.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable

import numpy as np

from bench.memory_caller import FRAME_MS, MemoryCaller, Samples


class SoundQueue:
    """Sound that waits to be played, in the order in which it came."""

    def __init__(self, hz: int) -> None:
        self._frame_samples = hz * FRAME_MS // 1000
        self._pieces: deque[Samples] = deque()
        self.is_paused = False

    def __bool__(self) -> bool:
        return bool(self._pieces)

    def push(self, samples: Samples) -> None:
        if samples.size:
            self._pieces.append(samples)

    def clear(self) -> None:
        self._pieces.clear()

    def pull(self) -> tuple[Samples, int]:
        """The frame to play now, and how much of it is not the silence at its end."""
        frame = np.zeros(self._frame_samples, np.int16)
        filled = 0
        while self._pieces and filled < frame.size and not self.is_paused:
            piece = self._pieces.popleft()
            taken = piece[: frame.size - filled]
            frame[filled : filled + taken.size] = taken
            filled += taken.size
            if taken.size < piece.size:
                self._pieces.appendleft(piece[taken.size :])
        return frame, filled


async def connect(
    caller: MemoryCaller,
    say: Callable[[Samples], Awaitable[None]],
    play: Callable[[], Samples],
) -> None:
    """Bring the caller's frames to ``say`` and those of ``play`` to the caller, endlessly.

    After a stall all frames of the caller come at once, as in our rooms.
    """
    async for frame, periods in _frames():
        for _ in range(periods):
            await say(caller.read())
        heard = play()
        caller.write(heard, frame * heard.size)


async def _frames() -> AsyncIterator[tuple[int, int]]:
    """Each frame's number at its time, and how many have become due since the one before."""
    began_at, frame = time.monotonic(), 0
    while True:
        due_at = began_at + (frame + 1) * FRAME_MS / 1000
        await asyncio.sleep(max(0.0, due_at - time.monotonic()))
        periods = max(1, int((time.monotonic() - began_at) * 1000 / FRAME_MS + 1e-6) - frame)
        frame += periods
        yield frame, periods

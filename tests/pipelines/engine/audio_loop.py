"""A caller's ear and mouth in memory, ticking in real time, for tests that speak real audio."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections import deque
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field

import numpy as np
from livekit import rtc
from livekit.agents.voice import io
from numpy.typing import NDArray

Samples = NDArray[np.int16]

TICK_SECONDS = 0.02
INPUT_HZ = 16_000
OUTPUT_HZ = 24_000
_INPUT_TICK = int(INPUT_HZ * TICK_SECONDS)
_OUTPUT_TICK = int(OUTPUT_HZ * TICK_SECONDS)
_AUDIBLE = 300


class Mouth(io.AudioInput):
    """What the agent hears: 20 ms frames, silence unless the caller speaks."""

    def __init__(self) -> None:
        super().__init__(label="mouth")
        self._frames: asyncio.Queue[rtc.AudioFrame] = asyncio.Queue()
        self._to_say: deque[Samples] = deque()
        self.silent = asyncio.Event()
        self.onset_at = 0.0
        """When the first audible sample of the latest utterance was sent."""
        self.last_voice_at = 0.0
        """When the last audible sample was sent."""

    def say(self, samples: Samples) -> None:
        padded = np.pad(samples, (0, -len(samples) % _INPUT_TICK))
        self._to_say.extend(padded.reshape(-1, _INPUT_TICK))
        self.silent.clear()

    def tick(self, now: float) -> None:
        if not self._to_say:
            self.silent.set()
        samples = self._to_say.popleft() if self._to_say else np.zeros(_INPUT_TICK, np.int16)
        if np.abs(samples).max() > _AUDIBLE:
            if now - self.last_voice_at > 0.5:
                self.onset_at = now
            self.last_voice_at = now
        self._frames.put_nowait(
            rtc.AudioFrame(samples.tobytes(), INPUT_HZ, 1, samples_per_channel=_INPUT_TICK)
        )

    async def __anext__(self) -> rtc.AudioFrame:
        return await self._frames.get()


@dataclass
class _Segment:
    samples: deque[Samples] = field(default_factory=deque)
    complete: bool = False
    played_seconds: float = 0.0
    started: bool = False


class Ear(io.AudioOutput):
    """What the caller hears, and when: ``heard_at`` has the time of every audible 20 ms,
    ``played`` all that was played, ``pauses`` how often it was halted."""

    def __init__(self) -> None:
        super().__init__(
            label="ear", capabilities=io.AudioOutputCapabilities(pause=True), sample_rate=OUTPUT_HZ
        )
        self._segments: deque[_Segment] = deque()
        self._rest: Samples = np.zeros(0, np.int16)
        self._paused = False
        self.silent = asyncio.Event()
        self.heard_at: list[float] = []
        self.pauses = 0
        self.played: list[Samples] = []

    async def capture_frame(self, frame: rtc.AudioFrame) -> None:
        await super().capture_frame(frame)
        if not self._segments or self._segments[-1].complete:
            self._segments.append(_Segment())
            self.silent.clear()
        samples = np.concatenate([self._rest, np.frombuffer(frame.data, np.int16)])
        whole = len(samples) - len(samples) % _OUTPUT_TICK
        self._segments[-1].samples.extend(samples[:whole].reshape(-1, _OUTPUT_TICK))
        self._rest = samples[whole:]

    def flush(self) -> None:
        super().flush()
        if self._segments:
            if self._rest.size and not self._segments[-1].complete:
                last = np.pad(self._rest, (0, _OUTPUT_TICK - self._rest.size))
                self._segments[-1].samples.append(last)
            self._segments[-1].complete = True
        self._rest = np.zeros(0, np.int16)

    def clear_buffer(self) -> None:
        self._rest = np.zeros(0, np.int16)
        while self._segments:
            segment = self._segments.popleft()
            self.on_playback_finished(playback_position=segment.played_seconds, interrupted=True)

    def pause(self) -> None:
        super().pause()
        self.pauses += not self._paused
        self._paused = True

    def resume(self) -> None:
        super().resume()
        self._paused = False

    def tick(self, now: float) -> None:
        if not self._segments:
            self.silent.set()
        if self._paused or not self._segments:
            return
        segment = self._segments[0]
        if segment.samples:
            samples = segment.samples.popleft()
            if not segment.started:
                segment.started = True
                self.on_playback_started(created_at=time.time())
            segment.played_seconds += TICK_SECONDS
            self.played.append(samples)
            if np.abs(samples).max() > _AUDIBLE:
                self.heard_at.append(now)
        elif segment.complete:
            self._segments.popleft()
            self.on_playback_finished(playback_position=segment.played_seconds, interrupted=False)


class AudioLoop:
    """Mouth and ear on one clock."""

    def __init__(self) -> None:
        self.mouth = Mouth()
        self.ear = Ear()
        self.ticks = 0
        self._ticked = asyncio.Condition()

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        task = asyncio.create_task(self._tick_for_ever())
        try:
            yield
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    async def agent_starts(self, after: float, timeout_seconds: float = 6.0) -> float:
        """When the agent's first audible sample after ``after`` was heard."""

        def heard_since() -> list[float]:
            return [at for at in self.ear.heard_at[-500:] if at > after]

        await self.until(lambda: bool(heard_since()), timeout_seconds)
        return heard_since()[0]

    async def agent_has_spoken(self, seconds: float) -> None:
        """Return once that much audible speech of the agent was heard from now on."""
        heard_before = len(self.ear.heard_at)
        ticks = round(seconds / TICK_SECONDS)
        await self.until(lambda: len(self.ear.heard_at) >= heard_before + ticks)

    async def silence(self, seconds: float) -> None:
        """Listen for that long.

        Raises:
            AssertionError: the agent said something.
        """
        heard_before = len(self.ear.heard_at)
        last_tick = self.ticks + round(seconds / TICK_SECONDS)
        await self.until(lambda: self.ticks >= last_tick)
        assert len(self.ear.heard_at) == heard_before

    async def until(self, condition: Callable[[], bool], timeout_seconds: float = 20.0) -> None:
        """Return after the first tick at which ``condition`` holds. Raises ``TimeoutError``."""
        async with asyncio.timeout(timeout_seconds):
            while not condition():
                async with self._ticked:
                    await self._ticked.wait()

    async def agent_finishes(self, timeout_seconds: float = 20.0) -> None:
        async with asyncio.timeout(timeout_seconds):
            await self.ear.silent.wait()

    async def caller_finishes(self, timeout_seconds: float = 20.0) -> float:
        """When the caller's last audible sample was sent."""
        async with asyncio.timeout(timeout_seconds):
            await self.mouth.silent.wait()
        return self.mouth.last_voice_at

    async def _tick_for_ever(self) -> None:
        next_at = time.monotonic()
        while True:
            now = time.monotonic()
            self.mouth.tick(now)
            self.ear.tick(now)
            self.ticks += 1
            async with self._ticked:
                self._ticked.notify_all()
            next_at += TICK_SECONDS
            await asyncio.sleep(max(0.0, next_at - time.monotonic()))

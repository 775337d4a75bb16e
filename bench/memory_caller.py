"""A caller's leg in memory: it speaks in turn with the agent and measures what it hears.

Imports nothing of Switchboard: ``bench.versus`` puts the same callers in front of other engines.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Samples = NDArray[np.int16]

FRAME_MS = 20
PAUSE_FRAMES = 800 // FRAME_MS
"""Between the agent's last sound and the caller's next line."""
PATIENCE_FRAMES = 8000 // FRAME_MS
"""After so long without an answer the caller goes on."""
_LOUD = 200
_WEIGHED_EVERY_FRAMES = 10
"""How often a caller's own cost is looked at: to look at it costs as much."""


@dataclass
class Noticed:
    """By all callers of a run, while it is measured."""

    is_measured: bool = False
    voice_to_voice_ms: list[float] = field(default_factory=list)
    sent_at: list[tuple[int, float]] = field(default_factory=list)
    """The call, and when a frame reached its leg, less the frame's place in the stream."""
    unanswered: int = 0
    frames: int = 0
    spoken_frames: int = 0
    used_seconds: float = 0.0
    """Processor time of the callers themselves, estimated from every tenth frame."""


class MemoryCaller:
    """``runtime.media.audio.room_audio.LegAudio``, by default at 48 kHz both ways.

    ``lines`` are speech at ``read_hz``.
    """

    def __init__(
        self,
        number: int,
        lines: Sequence[Samples],
        noticed: Noticed,
        *,
        read_hz: int = 48_000,
        write_hz: int = 48_000,
    ) -> None:
        self._number = number
        self._write_hz = write_hz
        samples_per_frame = read_hz * FRAME_MS // 1000
        self._lines = [_frames(line, samples_per_frame) for line in lines]
        noise = np.random.default_rng(number).integers(-10, 11, (50, samples_per_frame))
        self._noise: NDArray[np.int16] = noise.astype(np.int16)
        """A room is never quite silent, and silence would cost less."""
        self._noticed = noticed
        self._next_line = number
        self._place = -1
        """In the line that is spoken; -1 between lines."""
        self._frames = 0
        self._quiet_frames = 0
        """Since the agent was heard, or since the caller's own last sound."""
        self._agent_has_spoken = False
        self._ended_at: float | None = None
        """When the caller's last sound was read, while no answer has come."""
        self.unheard_frames = 0

    def read(self) -> Samples:
        self._frames += 1
        with self._weighed():
            frame = self._line_frame()
            if frame is None:
                frame = self._noise[self._frames % len(self._noise)]
        if self._noticed.is_measured:
            self._noticed.frames += 1
            self._noticed.spoken_frames += self._place >= 0
        return frame

    def write(self, samples: Samples, sample: int) -> None:
        now = time.monotonic()
        with self._weighed():
            if samples.any() and int(samples.max()) > _LOUD:
                self._heard_agent(now)
            else:
                self._quiet_frames += 1
        if self._noticed.is_measured:
            self._noticed.sent_at.append((self._number, now - sample / self._write_hz))

    @contextmanager
    def _weighed(self) -> Iterator[None]:
        if not self._noticed.is_measured or self._frames % _WEIGHED_EVERY_FRAMES:
            yield
            return
        began = time.thread_time()
        yield
        self._noticed.used_seconds += (time.thread_time() - began) * _WEIGHED_EVERY_FRAMES

    def _line_frame(self) -> Samples | None:
        if self._place < 0 and self._may_speak():
            self._place = 0
            self._next_line += 1
            self._agent_has_spoken = False
            if self._ended_at is not None and self._noticed.is_measured:
                self._noticed.unanswered += 1
            self._ended_at = None
        if self._place < 0:
            return None
        line = self._lines[self._next_line % len(self._lines)]
        frame: Samples = line[self._place]
        self._place += 1
        if self._place == len(line):
            # A frame counts as said when it was handed over.
            self._place, self._quiet_frames, self._ended_at = -1, 0, time.monotonic()
        return frame

    def _may_speak(self) -> bool:
        if self._agent_has_spoken:
            return self._quiet_frames >= PAUSE_FRAMES
        return self._quiet_frames >= PATIENCE_FRAMES

    def _heard_agent(self, now: float) -> None:
        if self._place < 0:
            self._agent_has_spoken = True
            if self._ended_at is not None and self._noticed.is_measured:
                self._noticed.voice_to_voice_ms.append((now - self._ended_at) * 1000)
            self._ended_at = None
        self._quiet_frames = 0


def _frames(line: Samples, samples_per_frame: int) -> NDArray[np.int16]:
    whole = -(-line.size // samples_per_frame) * samples_per_frame
    return np.pad(line, (0, whole - line.size)).reshape(-1, samples_per_frame)

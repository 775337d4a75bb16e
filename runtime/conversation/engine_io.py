"""The conversation engine's audio input and output in a room (livekit-agents ``voice.io``).

The engine counts segments: a segment is the audio of one reply, from its first ``capture_frame`` to
``flush``. For each segment the engine waits, without a timeout, for one report that playback has
finished and how much was played. We send reports in the event loop's next turn, because playback
may end during a call from the engine's wrappers, and they must complete their own part first.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from dataclasses import dataclass
from functools import partial

import numpy as np
from livekit import rtc
from livekit.agents.voice.io import AudioInput, AudioOutput, AudioOutputCapabilities

from runtime.media.room import ENGINE_INPUT_HZ, ENGINE_OUTPUT_HZ, Room


class RoomAudioInput(AudioInput):
    """Everyone except the agent: 16 kHz mono, one frame of 20 ms per tick of the room's clock.

    While the engine does not listen, it gets silence: it reads on, and its streams keep their time.
    """

    def __init__(self, room: Room) -> None:
        super().__init__(label=f"room {room.name}")
        self._frames = room.listen()
        self._is_attached = True

    async def __anext__(self) -> rtc.AudioFrame:
        samples = await anext(self._frames)
        if not self._is_attached:
            samples = np.zeros_like(samples)
        return rtc.AudioFrame(samples.tobytes(), ENGINE_INPUT_HZ, 1, samples.size)

    def on_attached(self) -> None:
        super().on_attached()
        self._is_attached = True

    def on_detached(self) -> None:
        super().on_detached()
        self._is_attached = False


AUDIBLE = 100
"""Of 32,767, which is -50 dBFS. Voices end a sentence with up to 0.5 s of quieter samples."""


@dataclass
class _Segment:
    captured_samples: int = 0
    audible_samples: int = 0
    """Samples up to the last audible one."""
    played_samples: int = 0
    flushed: bool = False
    cleared: bool = False
    started: bool = False

    @property
    def is_over(self) -> bool:
        return self.flushed and (self.cleared or self.played_samples == self.captured_samples)


class RoomAudioOutput(AudioOutput):
    """Plays the engine's segments through the room's ``AgentVoice`` and sets its ``on_played``.

    A segment that is cleared before any of it was heard never starts, and finishes at position 0.
    """

    def __init__(self, room: Room) -> None:
        super().__init__(
            label=f"room {room.name}",
            capabilities=AudioOutputCapabilities(pause=True),
            sample_rate=ENGINE_OUTPUT_HZ,
        )
        self._voice = room.voice
        self._voice.on_played = self._played
        self._segments: deque[_Segment] = deque()
        self.played_samples = 0
        """How much of the agent has been heard in this call."""
        self.audible_until: float | None = None
        """When the agent's last audible sample was heard (``time.time()``)."""

    async def capture_frame(self, frame: rtc.AudioFrame) -> None:
        await super().capture_frame(frame)
        if not self._segments or self._segments[-1].flushed:
            self._segments.append(_Segment())
        segment = self._segments[-1]
        if segment.cleared:
            return
        samples = np.frombuffer(frame.data, np.int16)
        if frame.num_channels > 1:
            samples = samples.reshape(-1, frame.num_channels).mean(axis=1).astype(np.int16)
        audible = np.flatnonzero((samples > AUDIBLE) | (samples < -AUDIBLE))
        if audible.size:
            segment.audible_samples = segment.captured_samples + int(audible[-1]) + 1
        segment.captured_samples += samples.size
        self._voice.push(samples)

    def flush(self) -> None:
        super().flush()
        if self._segments:
            self._segments[-1].flushed = True
            self._report_finished()

    def clear_buffer(self) -> None:
        if not self._segments:
            return
        self._voice.clear()
        for segment in self._segments:
            segment.cleared = True
        self._report_finished()

    def pause(self) -> None:
        super().pause()
        self._voice.pause()

    def resume(self) -> None:
        super().resume()
        self._voice.resume()

    def _played(self, samples: int) -> None:
        self.played_samples += samples
        for segment in list(self._segments):
            taken = min(samples, segment.captured_samples - segment.played_samples)
            if taken and not segment.started:
                self._report_started(segment)
            audible = min(taken, segment.audible_samples - segment.played_samples)
            if audible > 0:
                self.audible_until = time.time() + audible / ENGINE_OUTPUT_HZ
            segment.played_samples += taken
            samples -= taken
            self._report_finished()

    def _report_started(self, segment: _Segment) -> None:
        segment.started = True
        now = time.time()
        asyncio.get_running_loop().call_soon(partial(self.on_playback_started, created_at=now))

    def _report_finished(self) -> None:
        while self._segments and self._segments[0].is_over:
            segment = self._segments.popleft()
            asyncio.get_running_loop().call_soon(
                partial(
                    self.on_playback_finished,
                    playback_position=segment.played_samples / ENGINE_OUTPUT_HZ,
                    interrupted=segment.cleared,
                )
            )

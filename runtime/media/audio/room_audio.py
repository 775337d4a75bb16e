"""Reads, mixes and writes the audio of everybody in a room, once per tick of the room's clock."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Protocol
from uuid import UUID

import numpy as np

from runtime.media.audio.hold_music import HoldMusic
from runtime.media.audio.mixer import mix, mix_minus
from runtime.media.audio.opus import SAMPLE_HZ, SAMPLES_PER_FRAME
from runtime.media.audio.paced_output import SAMPLES_PER_FRAME as VOICE_SAMPLES_PER_FRAME
from runtime.media.audio.paced_output import PacedOutput
from runtime.media.audio.resampling import Resampler
from runtime.media.room import ENGINE_INPUT_HZ, ENGINE_OUTPUT_HZ, HeardFrames, Samples
from runtime.media.room_clock import Tick

_NOTHING_SAID = np.zeros(VOICE_SAMPLES_PER_FRAME, np.int16)
_SILENCE = np.zeros(SAMPLES_PER_FRAME, np.int16)
_MOST_CAUGHT_UP = 25
"""After the process has stalled, at most this many missed frames of the people are read."""


class LegAudio(Protocol):
    """The audio of a leg: frames of ``SAMPLES_PER_FRAME`` at 48 kHz."""

    def read(self) -> Samples: ...

    def write(self, samples: Samples, sample: int) -> None: ...

    @property
    def unheard_frames(self) -> int: ...


class RoomAudio:
    """Pure: legs and the agent's voice in, the engine's frames out.

    Each of ``listeners`` is called in each tick with what was heard in it.
    """

    def __init__(self, voice: PacedOutput) -> None:
        self.listeners: list[Callable[[HeardFrames], None]] = []
        self._voice = voice
        self._muted: set[UUID] = set()
        self._held: dict[UUID, HoldMusic] = {}
        self._to_legs = Resampler(ENGINE_OUTPUT_HZ, SAMPLE_HZ)
        self._to_engine = Resampler(SAMPLE_HZ, ENGINE_INPUT_HZ)

    def hold(self, leg: UUID, *, held: bool) -> None:
        """While a leg is held, it hears music instead of the others, and nobody hears it."""
        if not held:
            self._held.pop(leg, None)
        elif leg not in self._held:
            self._held[leg] = HoldMusic()

    def mute(self, leg: UUID, *, muted: bool) -> None:
        """While a leg is muted, nobody hears it."""
        if muted:
            self._muted.add(leg)
        else:
            self._muted.discard(leg)

    def forget(self, leg: UUID) -> None:
        """The leg is gone. Another one with its name is neither held nor muted."""
        self._held.pop(leg, None)
        self._muted.discard(leg)

    def tick(self, legs: Mapping[UUID, LegAudio], tick: Tick) -> list[Samples]:
        """Play one frame to every leg. Returns what the engine hears at ``ENGINE_INPUT_HZ``, one
        frame for each period that the tick stands for.

        When the process is late, the engine gets everything that people said meanwhile at once. But
        people get one frame only, because a burst would just fill their jitter buffers.

        While there is no leg, the agent's voice waits: nobody would hear it.
        """
        people, engine = [], []
        for _ in range(min(tick.periods, _MOST_CAUGHT_UP)):
            said = self._said(legs)
            people.append(mix(said.values(), SAMPLES_PER_FRAME))
            engine.append(self._to_engine.convert(people[-1]))
        voice = self._voice.pull(self._unheard_frames(legs)) if legs else _NOTHING_SAID
        agent = self._to_legs.convert(voice)
        for key, heard in mix_minus(agent, said).items():
            music = self._held.get(key)
            frame = heard if music is None else music.frame()
            legs[key].write(frame, tick.index * SAMPLES_PER_FRAME)
        if self.listeners:
            heard_now = HeardFrames(tick.index, people, voice)
            for listener in self.listeners:
                listener(heard_now)
        return engine

    def _unheard_frames(self, legs: Mapping[UUID, LegAudio]) -> int:
        """What one person has heard was heard. Who is held hears music."""
        hearing = legs.keys() - self._held.keys()
        return min((legs[key].unheard_frames for key in hearing), default=0)

    def _said(self, legs: Mapping[UUID, LegAudio]) -> dict[UUID, Samples]:
        """One frame of each leg. Those that nobody hears are read all the same, so that what they
        said meanwhile does not wait for later."""
        frames = {key: leg.read() for key, leg in legs.items()}
        for key in frames.keys() & (self._muted | self._held.keys()):
            frames[key] = _SILENCE
        return frames

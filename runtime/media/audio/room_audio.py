"""Reads, mixes and writes the audio of everybody in a room, once per tick of the room's clock."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Protocol
from uuid import UUID

import numpy as np

from runtime.media.audio.mixer import mix, mix_minus
from runtime.media.audio.opus import SAMPLE_HZ, SAMPLES_PER_FRAME
from runtime.media.audio.paced_output import SAMPLES_PER_FRAME as VOICE_SAMPLES_PER_FRAME
from runtime.media.audio.paced_output import PacedOutput
from runtime.media.audio.resampling import Resampler
from runtime.media.room import ENGINE_INPUT_HZ, ENGINE_OUTPUT_HZ, HeardFrames, Samples
from runtime.media.room_clock import Tick

_NOTHING_SAID = np.zeros(VOICE_SAMPLES_PER_FRAME, np.int16)
_MOST_CAUGHT_UP = 25
"""After the process has stalled, at most this many missed frames of the people are read."""


class LegAudio(Protocol):
    """The audio of a leg: frames of ``SAMPLES_PER_FRAME`` at 48 kHz."""

    def read(self) -> Samples: ...

    def write(self, samples: Samples, sample: int) -> None: ...


class RoomAudio:
    """Pure: legs and the agent's voice in, the engine's frames out.

    ``on_heard`` is called in each tick with what was heard in it.
    """

    def __init__(self, voice: PacedOutput) -> None:
        self.on_heard: Callable[[HeardFrames], None] | None = None
        self._voice = voice
        self._to_legs = Resampler(ENGINE_OUTPUT_HZ, SAMPLE_HZ)
        self._to_engine = Resampler(SAMPLE_HZ, ENGINE_INPUT_HZ)

    def tick(self, legs: Mapping[UUID, LegAudio], tick: Tick) -> list[Samples]:
        """Play one frame to every leg. Returns what the engine hears at ``ENGINE_INPUT_HZ``, one
        frame for each period that the tick stands for.

        When the process is late, the engine gets everything that people said meanwhile at once. But
        people get one frame only, because a burst would just fill their jitter buffers.

        While there is no leg, the agent's voice waits: nobody would hear it.
        """
        people, engine = [], []
        for _ in range(min(tick.periods, _MOST_CAUGHT_UP)):
            said = {key: leg.read() for key, leg in legs.items()}
            people.append(mix(said.values(), SAMPLES_PER_FRAME))
            engine.append(self._to_engine.convert(people[-1]))
        voice = self._voice.pull() if legs else _NOTHING_SAID
        agent = self._to_legs.convert(voice)
        for key, heard in mix_minus(agent, said).items():
            legs[key].write(heard, tick.index * SAMPLES_PER_FRAME)
        if self.on_heard is not None:
            self.on_heard(HeardFrames(tick.index, people, voice))
        return engine

"""One frame of a room: everybody is read, mixed and written, once per tick of the room's clock."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol
from uuid import UUID

from runtime.mixer import mix, mix_minus
from runtime.opus import SAMPLE_HZ, SAMPLES_PER_FRAME
from runtime.paced_output import PacedOutput
from runtime.resampling import Resampler
from runtime.room import ENGINE_INPUT_HZ, ENGINE_OUTPUT_HZ, Samples
from runtime.room_clock import Tick

_MOST_CAUGHT_UP = 25
"""After a standstill of the process, at most so many frames of what people said are made up for."""


class LegAudio(Protocol):
    """A leg, as the mixer sees it: frames of ``SAMPLES_PER_FRAME`` at 48 kHz."""

    def read(self) -> Samples: ...

    def write(self, samples: Samples, sample: int) -> None: ...


class RoomAudio:
    """Pure: legs and the agent's voice in, the engine's frames out."""

    def __init__(self, voice: PacedOutput) -> None:
        self._voice = voice
        self._to_legs = Resampler(ENGINE_OUTPUT_HZ, SAMPLE_HZ)
        self._to_engine = Resampler(SAMPLE_HZ, ENGINE_INPUT_HZ)

    def tick(self, legs: Mapping[UUID, LegAudio], tick: Tick) -> list[Samples]:
        """Play one frame to every leg; return what the engine hears, one frame for each period that
        the tick stands for, at ``ENGINE_INPUT_HZ``.

        What people said while the process was late is all there and the engine takes it at once.
        What they hear is never sent in a burst: it would only fill their jitter buffers.
        """
        engine = []
        for _ in range(min(tick.periods, _MOST_CAUGHT_UP)):
            said = {key: leg.read() for key, leg in legs.items()}
            engine.append(self._to_engine.convert(mix(said.values(), SAMPLES_PER_FRAME)))
        agent = self._to_legs.convert(self._voice.pull())
        for key, heard in mix_minus(agent, said).items():
            legs[key].write(heard, tick.index * SAMPLES_PER_FRAME)
        return engine

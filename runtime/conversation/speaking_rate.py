"""When the agent's voice sounds and when it pauses, for the engine's ``TranscriptSynchronizer``.

The synchroniser spreads a sentence's syllables over its audio, to know which words were heard when
the agent is interrupted. The engine weighs the audio with a spectrum each 12.5 ms: for a second of
speech that is 10 ms of processor time in the event loop of all calls. What matters is which parts
are pauses, and the loudness tells that for a tenth of it. Both find the same words, give or take
one or two.
"""

from __future__ import annotations

from collections.abc import AsyncIterator

import numpy as np
from livekit import rtc
from livekit.agents.utils.aio import Chan
from livekit.agents.voice.transcription import TranscriptSynchronizer
from livekit.agents.voice.transcription._speaking_rate import SpeakingRateEvent
from numpy.typing import NDArray

STEP_SECONDS = 0.05
SOUND_RMS = 160.0
"""-46 dBFS. The engine's threshold, too."""


def weigh_by_loudness(synchronizer: TranscriptSynchronizer) -> None:
    """Call it before the first word. Reaches for ``_opts`` and ``_impl``, which have no public
    name; ``tests/runtime/conversation/test_speaking_rate.py`` fails if they move."""
    synchronizer._opts.speaking_rate_detector = LoudnessDetector()  # type: ignore[assignment]
    # The segment that it was made with has a stream of the old detector.
    synchronizer.rotate_segment()


class LoudnessDetector:
    """In place of the engine's ``SpeakingRateDetector``."""

    def stream(self) -> LoudnessStream:
        return LoudnessStream()


class LoudnessStream:
    """The rate is 1 while the voice sounds and 0 while it pauses, told at the end of each step."""

    def __init__(self) -> None:
        self._events = Chan[SpeakingRateEvent]()
        self._rest: NDArray[np.int16] = np.empty(0, np.int16)
        self._rate_hz = 0
        self._weighed_samples = 0

    def push_frame(self, frame: rtc.AudioFrame) -> None:
        self._rate_hz = frame.sample_rate
        samples = np.frombuffer(frame.data, np.int16).reshape(-1, frame.num_channels)[:, 0]
        samples = np.concatenate((self._rest, samples))
        step = round(self._rate_hz * STEP_SECONDS)
        whole = samples.size - samples.size % step
        for part in samples[:whole].reshape(-1, step):
            self._weigh(part)
        self._rest = samples[whole:]

    def flush(self) -> None:
        """The audio of a sentence has ended."""
        if self._rest.size:
            self._weigh(self._rest)
            self._rest = self._rest[:0]

    def end_input(self) -> None:
        self.flush()
        self._events.close()

    async def aclose(self) -> None:
        self._events.close()

    def __aiter__(self) -> AsyncIterator[SpeakingRateEvent]:
        return self._events

    def _weigh(self, samples: NDArray[np.int16]) -> None:
        self._weighed_samples += samples.size
        is_sounding = float(np.sqrt(np.mean(np.square(samples, dtype=np.float32)))) > SOUND_RMS
        self._events.send_nowait(
            SpeakingRateEvent(
                timestamp=self._weighed_samples / self._rate_hz,
                speaking=is_sounding,
                speaking_rate=float(is_sounding),
            )
        )

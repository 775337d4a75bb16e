"""Finds speech on a waveform by its energy in short windows, with exact sample positions.

Between its utterances the far end of a test call sends digital silence, so an energy threshold
finds the first and the last sample of speech exactly. A model could be early or late.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from switchboard_client.webrtc.frame import SAMPLE_RATE_HZ, Samples

WINDOW_SAMPLES = 240
"""5 ms: the precision of every time that is measured on a waveform."""
WINDOW_SECONDS = WINDOW_SAMPLES / SAMPLE_RATE_HZ

SPEECH_RMS = 33
"""-60 dBFS. Decoded silence stays below 3, the quietest consonants are above 50."""
MICROPHONE_SPEECH_RMS = 800
"""-32 dBFS: above the noise of an ordinary room."""


def active_windows(samples: Samples, threshold_rms: float = SPEECH_RMS) -> list[bool]:
    """One verdict per 5 ms. A shorter rest at the end is a window of its own."""
    verdicts = []
    for start in range(0, samples.size, WINDOW_SAMPLES):
        window = samples[start : start + WINDOW_SAMPLES].astype(np.float64)
        verdicts.append(bool(np.sqrt(np.mean(window * window)) >= threshold_rms))
    return verdicts


def trimmed(samples: Samples) -> Samples:
    """The part from the first to the last active window. Empty if nothing is audible."""
    active = [index for index, is_active in enumerate(active_windows(samples)) if is_active]
    if not active:
        return samples[:0]
    return samples[active[0] * WINDOW_SAMPLES : (active[-1] + 1) * WINDOW_SAMPLES]


@dataclass(frozen=True)
class SpeechInterval:
    """Uninterrupted speech, in seconds on the caller's monotonic clock."""

    started_at: float
    ended_at: float


class SpeechActivity:
    """A growing record of when one side was speaking.

    Windows of speech less than ``join_gap_seconds`` apart are one interval, because stop consonants
    are silent for up to about 50 ms.

    A single active window can be a click, so an interval appears with its second window. It starts
    where the first one did.
    """

    def __init__(self, threshold_rms: float = SPEECH_RMS, join_gap_seconds: float = 0.08) -> None:
        self._threshold_rms = threshold_rms
        self._join_gap_seconds = join_gap_seconds
        self._intervals: list[SpeechInterval] = []
        self._candidate: SpeechInterval | None = None

    def push(self, samples: Samples, received_at: float) -> None:
        """Add audio whose first sample was received (or sent) at ``received_at`` seconds."""
        for index, is_active in enumerate(active_windows(samples, self._threshold_rms)):
            if is_active:
                start = received_at + index * WINDOW_SECONDS
                self._extend(SpeechInterval(start, start + WINDOW_SECONDS))

    @property
    def intervals(self) -> tuple[SpeechInterval, ...]:
        """All intervals so far, in order; the last one may still grow."""
        return tuple(self._intervals)

    @property
    def last_speech_at(self) -> float | None:
        """End of the last window of speech."""
        return self._intervals[-1].ended_at if self._intervals else None

    def _extend(self, window: SpeechInterval) -> None:
        last = self._intervals[-1] if self._intervals else None
        if last and window.started_at - last.ended_at <= self._join_gap_seconds:
            self._intervals[-1] = SpeechInterval(last.started_at, window.ended_at)
        elif (
            self._candidate
            and window.started_at - self._candidate.ended_at <= self._join_gap_seconds
        ):
            self._intervals.append(SpeechInterval(self._candidate.started_at, window.ended_at))
            self._candidate = None
        else:
            self._candidate = window

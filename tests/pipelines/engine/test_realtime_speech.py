"""Where a realtime model's turn ends."""

from __future__ import annotations

import numpy as np
import pytest
from livekit import rtc

from pipelines.engine.realtime_speech import RealtimeSpeech

RATE_HZ = 24_000
MAX_SECONDS = 10.0


def sound(seconds: float) -> np.ndarray[tuple[int], np.dtype[np.int16]]:
    at = np.arange(round(seconds * RATE_HZ)) / RATE_HZ
    return (np.sin(2 * np.pi * 300 * at) * 8_000).astype(np.int16)


def silence(seconds: float) -> np.ndarray[tuple[int], np.dtype[np.int16]]:
    return np.zeros(round(seconds * RATE_HZ), np.int16)


def passed(*parts: np.ndarray[tuple[int], np.dtype[np.int16]], frame_seconds: float = 0.1) -> float:
    """Seconds of sound until the turn is over."""
    speech = RealtimeSpeech(MAX_SECONDS)
    samples = np.concatenate(parts)
    step = round(frame_seconds * RATE_HZ)
    for begin in range(0, samples.size, step):
        part = samples[begin : begin + step]
        speech.take(rtc.AudioFrame(part.tobytes(), RATE_HZ, 1, part.size))
        if speech.is_over:
            break
    return speech.seconds


@pytest.mark.parametrize("frame_seconds", [0.02, 0.1, 3.0])
def test_it_ends_in_a_pause_near_the_limit(frame_seconds: float) -> None:
    found = passed(sound(8.5), silence(0.5), sound(9), frame_seconds=frame_seconds)
    assert found == pytest.approx(8.8, abs=0.02)


def test_a_pause_long_before_the_limit_does_not_end_it() -> None:
    assert passed(sound(3), silence(1), sound(4)) == pytest.approx(8)


def test_a_pause_between_two_words_does_not_end_it() -> None:
    words = [part for _ in range(100) for part in (sound(0.3), silence(0.1))]
    assert passed(*words) == pytest.approx(1.25 * MAX_SECONDS, abs=0.5)


def test_what_never_pauses_ends_a_quarter_after_the_limit() -> None:
    assert passed(sound(60)) == pytest.approx(1.25 * MAX_SECONDS, abs=0.5)

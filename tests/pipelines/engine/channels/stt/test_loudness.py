from __future__ import annotations

import numpy as np

from pipelines.engine.channels.stt.loudness import Loudness
from pipelines.engine.providers.local.speech_models import HEARING_RATE, Samples
from tests.pipelines.engine.speech import spoken

FRAME = HEARING_RATE // 10


def noise(seconds: float, deviation: float) -> Samples:
    return (
        np.random.default_rng(1).normal(0, deviation, int(seconds * HEARING_RATE)).astype(np.int16)
    )


def loud_share(loudness: Loudness, samples: Samples) -> float:
    frames = samples[: len(samples) // FRAME * FRAME].reshape(-1, FRAME)
    return sum(loudness.is_loud(frame) for frame in frames) / len(frames)


def test_silence_and_the_noise_of_a_line_are_not_loud():
    assert loud_share(Loudness(), np.zeros(FRAME * 50, np.int16)) == 0
    loudness = Loudness()
    loud_share(loudness, noise(4, 100))
    assert loud_share(loudness, noise(4, 100)) < 0.05


def test_a_voice_is_loud_whether_the_line_is_quiet_or_noisy():
    voice = spoken("I would like to come next Tuesday afternoon.")
    assert loud_share(Loudness(), voice) > 0.8
    loudness = Loudness()
    loud_share(loudness, noise(4, 100))
    assert loud_share(loudness, voice + noise(4, 100)[: len(voice)]) > 0.6


def test_a_voice_that_goes_on_stays_loud():
    voice = spoken("I would like to come next Tuesday afternoon.")
    loudness = Loudness()
    shares = [loud_share(loudness, voice) for _ in range(6)]
    assert min(shares) > 0.8

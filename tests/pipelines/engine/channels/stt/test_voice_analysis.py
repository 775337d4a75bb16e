from __future__ import annotations

import numpy as np
import pytest
from livekit.local_inference import VAD

from pipelines.engine.channels.stt.audio_ring import AudioRing
from pipelines.engine.channels.stt.voice_analysis import WINDOW, VoiceAnalysis
from pipelines.engine.providers.local.speech_models import HEARING_RATE, Samples
from tests.pipelines.engine.channels.stt.beeps import cough, detector, silence
from tests.pipelines.engine.speech import spoken

SECOND = HEARING_RATE


def ring_of(*sound: Samples) -> AudioRing:
    ring = AudioRing(10)
    for piece in sound:
        ring.append(memoryview(piece.tobytes()))
    return ring


def test_a_voice_is_found_with_its_place_and_length():
    ring = ring_of(silence(1), cough(0.64), silence(1))
    analysis = VoiceAnalysis(ring, 0, detector)
    while not analysis.advance():
        pass
    assert analysis.first_voice == pytest.approx(SECOND, abs=WINDOW)
    assert analysis.voice_seconds == pytest.approx(0.64, abs=0.07)
    assert analysis.silent_from == pytest.approx(1.64 * SECOND, abs=WINDOW)


def test_much_sound_is_looked_at_in_parts_so_that_no_call_waits():
    windows = 0

    def counting(samples: Samples) -> float:
        nonlocal windows
        windows += 1
        return 0.0

    analysis = VoiceAnalysis(ring_of(silence(3)), 0, counting)
    assert not analysis.advance()
    assert windows == 32
    while not analysis.advance():
        pass
    assert windows == 3 * SECOND // WINDOW


def test_what_comes_later_is_looked_at_once():
    ring = ring_of(silence(0.5))
    analysis = VoiceAnalysis(ring, 0, detector)
    assert analysis.advance()
    ring.append(memoryview(cough(0.32).tobytes()))
    assert analysis.advance()
    assert analysis.voice_seconds == pytest.approx(0.32, abs=0.04)
    assert analysis.advance()
    assert analysis.voice_seconds == pytest.approx(0.32, abs=0.04)


def test_a_short_dip_does_not_end_a_voice():
    probabilities = iter([0.6, 0.4, 0.4, 0.3])
    analysis = VoiceAnalysis(
        ring_of(silence(4 * WINDOW / SECOND)), 0, lambda _: next(probabilities)
    )
    analysis.advance()
    assert analysis.silent_from == 3 * WINDOW


@pytest.mark.parametrize("text", ["No.", "Yes, please.", "My name is Anna Miller."])
def test_the_real_detector_hears_short_answers(text: str):
    analysis = VoiceAnalysis(ring_of(silence(0.5), spoken(text), silence(0.5)), 0, VAD().predict)
    while not analysis.advance():
        pass
    assert analysis.voice_seconds >= 0.2


def test_the_real_detector_hears_no_voice_in_noise():
    noise = np.random.default_rng(1).normal(0, 2000, 2 * SECOND).astype(np.int16)
    analysis = VoiceAnalysis(ring_of(noise), 0, VAD().predict)
    while not analysis.advance():
        pass
    assert analysis.voice_seconds < 0.2

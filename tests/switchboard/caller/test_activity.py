import numpy as np
import pytest

from switchboard.caller.activity import SpeechActivity, trimmed
from switchboard_client.webrtc.frame import FRAME_SAMPLES, SAMPLE_RATE_HZ, Samples, silence


def tone(seconds: float, amplitude: int = 5000) -> Samples:
    t = np.arange(int(seconds * SAMPLE_RATE_HZ))
    return (amplitude * np.sin(2 * np.pi * 440 * t / SAMPLE_RATE_HZ)).astype(np.int16)


def heard(sound: Samples, start: float = 100.0) -> SpeechActivity:
    activity = SpeechActivity()
    for offset in range(0, sound.size, FRAME_SAMPLES):
        activity.push(sound[offset : offset + FRAME_SAMPLES], start + offset / SAMPLE_RATE_HZ)
    return activity


def quiet(seconds: float) -> Samples:
    return silence(int(seconds * SAMPLE_RATE_HZ))


def test_an_interval_spans_first_to_last_speech_within_one_window() -> None:
    activity = heard(np.concatenate([quiet(0.33), tone(1.0), quiet(0.5)]))
    (interval,) = activity.intervals
    assert interval.started_at == pytest.approx(100.33, abs=0.006)
    assert interval.ended_at == pytest.approx(101.33, abs=0.006)


def test_a_stop_consonant_does_not_split_an_interval_but_a_pause_does() -> None:
    activity = heard(np.concatenate([tone(0.2), quiet(0.05), tone(0.2), quiet(0.2), tone(0.2)]))
    first, second = activity.intervals
    assert first.ended_at == pytest.approx(100.45, abs=0.006)
    assert second.started_at == pytest.approx(100.65, abs=0.006)


def test_a_click_is_not_speech() -> None:
    activity = heard(np.concatenate([quiet(0.1), tone(0.004), quiet(0.5)]))
    assert activity.intervals == ()


def test_codec_noise_below_the_threshold_is_silence() -> None:
    assert heard(tone(1.0, amplitude=20)).intervals == ()


def test_a_click_before_speech_does_not_become_its_onset() -> None:
    activity = heard(np.concatenate([tone(0.004), quiet(0.3), tone(0.3)]))
    assert activity.intervals[0].started_at == pytest.approx(100.304, abs=0.006)


def test_trimming_keeps_the_pauses_inside() -> None:
    speech = np.concatenate([tone(0.2), quiet(0.4), tone(0.2)])
    cut = trimmed(np.concatenate([quiet(0.25), speech, quiet(0.3)]))
    assert cut.size == pytest.approx(speech.size, abs=480)


def test_trimming_silence_leaves_nothing() -> None:
    assert trimmed(quiet(1.0)).size == 0

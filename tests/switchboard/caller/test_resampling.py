import numpy as np
import pytest

from switchboard.caller.resampling import downsampled, to_pcm, upsampled


def sine(hertz: float, rate_hz: int) -> np.ndarray:
    return np.sin(2 * np.pi * hertz * np.arange(rate_hz) / rate_hz).astype(np.float32)


def middle(signal: np.ndarray) -> np.ndarray:
    return signal[signal.size // 4 : -signal.size // 4]


def test_doubling_the_rate_keeps_a_tone_in_phase() -> None:
    assert middle(upsampled(sine(1000, 24_000), 2)) == pytest.approx(
        middle(sine(1000, 48_000)), abs=1e-3
    )


def test_a_third_of_the_rate_keeps_a_tone_in_phase() -> None:
    assert middle(downsampled(sine(1000, 48_000), 3)) == pytest.approx(
        middle(sine(1000, 16_000)), abs=1e-3
    )


def test_what_the_lower_rate_cannot_carry_is_removed_not_folded() -> None:
    assert np.abs(middle(downsampled(sine(11_000, 48_000), 3))).max() < 0.01


def test_full_scale_clips_instead_of_wrapping() -> None:
    assert to_pcm(np.array([2.0, -2.0], dtype=np.float32)).tolist() == [32767, -32767]

import numpy as np
import pytest

from runtime.media.audio.resampling import Resampler
from runtime.media.room import Samples

RATES = [(24_000, 48_000), (48_000, 16_000), (8_000, 48_000), (48_000, 8_000), (16_000, 24_000)]


def tone(hz: float, rate: int, seconds: float, amplitude: int = 10_000) -> Samples:
    times = np.arange(round(rate * seconds)) / rate
    return (amplitude * np.sin(2 * np.pi * hz * times)).astype(np.int16)


def convert(samples: Samples, resampler: Resampler) -> Samples:
    frames = samples.reshape(-1, resampler.frame_samples)
    return np.concatenate([resampler.convert(frame) for frame in frames])


@pytest.mark.parametrize(("source_hz", "target_hz"), RATES)
def test_every_frame_gives_one_frame(source_hz: int, target_hz: int) -> None:
    resampler = Resampler(source_hz, target_hz)
    for _ in range(3):
        converted = resampler.convert(np.zeros(source_hz // 50, np.int16))
        assert converted.shape == (target_hz // 50,)
        assert converted.dtype == np.int16


@pytest.mark.parametrize(("source_hz", "target_hz"), RATES)
@pytest.mark.parametrize("hz", [300, 1_000, 3_000])
def test_speech_frequencies_pass_unchanged(source_hz: int, target_hz: int, hz: int) -> None:
    """Against the same tone at the target rate, moved by the filter's stated delay."""
    resampler = Resampler(source_hz, target_hz)
    converted = convert(tone(hz, source_hz, 0.4), resampler).astype(float)
    times = np.arange(converted.size) / target_hz - resampler.delay_seconds
    expected = 10_000 * np.sin(2 * np.pi * hz * times)
    settled = slice(target_hz // 50, None)
    error = converted[settled] - expected[settled]
    assert 10 * np.log10(np.mean(expected**2) / np.mean(error**2)) > 45


@pytest.mark.parametrize("hz", [9_000, 12_000, 20_000])
def test_what_the_lower_rate_cannot_hold_does_not_fold_back(hz: int) -> None:
    converted = convert(tone(hz, 48_000, 0.4), Resampler(48_000, 16_000))
    assert np.abs(converted[320:]).max() < 20


def test_no_seam_between_frames() -> None:
    """Frames of one stream convert as the stream in one piece does."""
    noise = np.random.default_rng(1).integers(-20_000, 20_000, 4_800).astype(np.int16)
    in_frames = convert(noise, Resampler(48_000, 16_000))
    in_one_piece = Resampler(48_000, 16_000, frame_ms=100).convert(noise)
    assert np.array_equal(in_frames, in_one_piece)


@pytest.mark.parametrize(("source_hz", "target_hz"), RATES)
def test_the_delay_is_small(source_hz: int, target_hz: int) -> None:
    assert Resampler(source_hz, target_hz).delay_seconds < 0.0025


def test_full_scale_saturates() -> None:
    square = np.tile(np.repeat(np.array([32_767, -32_768], np.int16), 24), 20)
    converted = convert(square, Resampler(24_000, 48_000)).astype(int)
    assert converted.max() == 32_767
    assert converted.min() == -32_768


def test_a_frame_that_is_no_whole_number_of_samples_is_refused() -> None:
    with pytest.raises(ValueError, match="whole number"):
        Resampler(44_100, 48_000, frame_ms=25)

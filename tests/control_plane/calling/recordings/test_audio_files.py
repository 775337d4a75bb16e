from __future__ import annotations

import tracemalloc
import wave
from collections.abc import Iterator
from pathlib import Path

import av
import numpy as np
import pytest

from contracts.recording import SAMPLE_HZ
from control_plane.calling.recordings.audio_files import (
    PartUnreadable,
    Stereo,
    decoded,
    with_silence,
    write_files,
)
from tests.control_plane.calling.recordings.recorded_call import flac


def level(value: int, ms: int) -> Stereo:
    return np.full((ms * SAMPLE_HZ // 1000, 2), value, np.int16)


def levels_by_100_ms(pieces: Iterator[Stereo]) -> list[int]:
    return [int(each) for each in np.concatenate(list(pieces))[:: SAMPLE_HZ // 10, 0]]


def test_gaps_and_what_is_missing_at_the_end_are_silent() -> None:
    parts = [(100, level(1, 200)), (500, level(2, 100))]
    assert levels_by_100_ms(with_silence(parts, 800)) == [0, 1, 1, 0, 0, 2, 0, 0]


def test_parts_that_overlap_move_nothing() -> None:
    parts = [(0, level(1, 300)), (200, level(2, 200))]
    assert levels_by_100_ms(with_silence(parts, 0)) == [1, 1, 1, 2]


def test_a_part_is_read_as_the_worker_wrote_it() -> None:
    stereo = decoded(flac(50, caller=1000, agent=2000))
    assert stereo.shape == (SAMPLE_HZ, 2)
    assert (stereo[SAMPLE_HZ // 2 :, 0] == 1000).all()
    assert (stereo[:, 1] == 2000).all()


@pytest.mark.parametrize("content", [b"", b"not audio", flac(50)[:200]])
def test_a_damaged_part_is_unreadable(content: bytes) -> None:
    with pytest.raises(PartUnreadable):
        decoded(content)


def two_tones(seconds: float) -> Stereo:
    """Left 300 Hz, right 2 kHz."""
    times = np.arange(int(seconds * SAMPLE_HZ)) / SAMPLE_HZ
    tones = [8000 * np.sin(2 * np.pi * hz * times) for hz in (300, 2000)]
    return np.stack(tones, axis=1).astype(np.int16)


def share_of(samples: np.ndarray, hz: float) -> float:
    """Of the energy in ``samples``."""
    power = np.abs(np.fft.rfft(samples.astype(float))) ** 2
    near = np.abs(np.fft.rfftfreq(len(samples), 1 / SAMPLE_HZ) - hz) < 50
    return float(power[near].sum() / power.sum())


def test_both_files_hold_the_same_audio_on_the_same_channels(tmp_path: Path) -> None:
    wav, ogg = tmp_path / "mix.wav", tmp_path / "mix.ogg"
    tones = two_tones(4.0)
    with wav.open("wb") as wav_file, ogg.open("wb") as ogg_file:
        assert write_files(np.array_split(tones, 7), wav_file, ogg_file) == 4000
    with wave.open(str(wav)) as file:
        written = np.frombuffer(file.readframes(file.getnframes()), np.int16).reshape(-1, 2)
    assert np.array_equal(written, tones)
    with av.open(str(ogg), "r") as container:
        resampler = av.AudioResampler("s16", "stereo", SAMPLE_HZ)
        frames = [each for frame in container.decode(audio=0) for each in resampler.resample(frame)]
    decoded_ogg = np.concatenate([each.to_ndarray() for each in frames], axis=1).reshape(-1, 2)
    assert len(decoded_ogg) == pytest.approx(len(tones), abs=SAMPLE_HZ // 20)
    assert share_of(decoded_ogg[:, 0], 300) > 0.99
    assert share_of(decoded_ogg[:, 0], 2000) < 0.001
    assert share_of(decoded_ogg[:, 1], 2000) > 0.99


def test_memory_does_not_grow_with_the_calls_length(tmp_path: Path) -> None:
    def five_minutes() -> Iterator[tuple[int, Stereo]]:
        piece = level(1, 5000)
        for number in range(60):
            yield number * 5000, piece.copy()

    tracemalloc.start()
    try:
        with (tmp_path / "a.wav").open("wb") as wav, (tmp_path / "a.ogg").open("wb") as ogg:
            write_files(with_silence(five_minutes(), 0), wav, ogg)
        _, peak_bytes = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert (tmp_path / "a.wav").stat().st_size > 28_000_000
    assert peak_bytes < 7_000_000

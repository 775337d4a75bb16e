from __future__ import annotations

from io import BytesIO

import av
import numpy as np

from contracts.recording import SAMPLE_HZ
from runtime.recording.part_cutter import Part
from runtime.recording.part_encoder import PartEncoder


def tone(hz: float, sample_hz: int, frames: int) -> list[np.ndarray]:
    times = np.arange(sample_hz * frames // 50) / sample_hz
    return np.split((8000 * np.sin(2 * np.pi * hz * times)).astype(np.int16), frames)


def decoded(flac: bytes) -> np.ndarray:
    with av.open(BytesIO(flac), "r") as container:
        assert container.streams.audio[0].rate == SAMPLE_HZ
        frames = [frame.to_ndarray() for frame in container.decode(audio=0)]
    return np.concatenate(frames, axis=1).reshape(-1, 2)


def loudest_hz(samples: np.ndarray) -> float:
    spectrum = np.abs(np.fft.rfft(samples.astype(float)))
    return float(np.fft.rfftfreq(len(samples), 1 / SAMPLE_HZ)[spectrum.argmax()])


def test_people_are_left_and_the_agent_is_right_and_nothing_is_lost() -> None:
    part = Part(0, people=tone(400, 48_000, 50), agent=tone(1000, 24_000, 50))
    stereo = decoded(PartEncoder().encode(part))
    assert stereo.shape == (SAMPLE_HZ, 2)
    assert abs(loudest_hz(stereo[:, 0]) - 400) < 2
    assert np.array_equal(stereo[:, 1], np.concatenate(tone(1000, 24_000, 50)))


def test_gaps_are_silent() -> None:
    stereo = decoded(PartEncoder().encode(Part(0, people=[None] * 10, agent=[None] * 10)))
    assert stereo.shape == (SAMPLE_HZ // 5, 2)
    assert not stereo.any()


def test_a_tone_goes_on_without_a_click_from_part_to_part() -> None:
    encoder, frames = PartEncoder(), tone(400, 48_000, 20)
    silence = [None] * 10
    first = decoded(encoder.encode(Part(0, people=frames[:10], agent=silence)))
    second = decoded(encoder.encode(Part(10, people=frames[10:], agent=silence)))
    whole = np.concatenate([first, second])[SAMPLE_HZ // 50 :, 0].astype(int)
    steepest = 8000 * 2 * np.pi * 400 / SAMPLE_HZ
    assert np.abs(np.diff(whole)).max() <= steepest * 1.05

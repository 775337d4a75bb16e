from __future__ import annotations

import numpy as np
import pytest

from pipelines.engine.channels.stt.audio_ring import AudioRing
from pipelines.engine.providers.local.speech_models import HEARING_RATE, Samples

SIZE = 100


def ring(*lengths: int) -> AudioRing:
    """Each sample's value is its position."""
    ring = AudioRing(SIZE / HEARING_RATE)
    for length in lengths:
        ring.append(memoryview(numbers(ring.end, ring.end + length).tobytes()))
    return ring


def numbers(start: int, end: int) -> Samples:
    return np.arange(start, end).astype(np.int16)


def test_what_was_appended_is_read_by_its_position():
    filled = ring(30, 40)
    assert (filled.start, filled.end) == (0, 70)
    assert filled.read(25, 35).tolist() == list(range(25, 35))


@pytest.mark.parametrize("lengths", [(70, 70), (60, 60, 60), (30,) * 33, (100, 100), (100, 1)])
def test_the_last_seconds_stay_and_no_more(lengths: tuple[int, ...]):
    filled = ring(*lengths)
    assert filled.end - filled.start == SIZE
    assert filled.read(0, 10_000).tolist() == list(range(filled.end - SIZE, filled.end))


def test_of_more_than_it_holds_the_last_samples_stay():
    filled = ring(30, 250)
    assert filled.read(0, 10_000).tolist() == list(range(180, 280))


def test_what_is_read_does_not_change_when_more_is_appended():
    filled = ring(100)
    read = filled.read(0, 10)
    filled.append(memoryview(numbers(500, 550).tobytes()))
    assert read.tolist() == list(range(10))


def test_nothing_is_read_outside_of_what_is_there():
    assert ring(30).read(40, 50).size == 0
    assert ring(30).read(20, 20).size == 0


def test_speech_is_cut_where_it_is_quietest():
    ring = AudioRing(10)
    sound = np.full(HEARING_RATE, 1000, np.int16)
    sound[8_000:8_640] = 10
    ring.append(memoryview(sound.tobytes()))
    assert 8_100 < ring.quietest(7_000, 10_000) < 8_600
    assert ring.quietest(20_000, 30_000) == 20_000

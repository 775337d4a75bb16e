from __future__ import annotations

import numpy as np
import pytest

from pipelines.engine.channels.tts.held_sound import HeldSound
from pipelines.engine.providers.local.speech_models import Samples

WHOLE: Samples = np.arange(100).astype(np.int16)


def held() -> HeldSound:
    sound = HeldSound()
    for piece in (WHOLE[:10], WHOLE[10:10], WHOLE[10:60], WHOLE[60:]):
        sound.add(piece)
    return sound


@pytest.mark.parametrize("count", [0, 5, 10, 11, 60, 99, 100, 101])
def test_the_first_samples_are_taken_and_the_others_stay(count: int) -> None:
    sound = held()
    assert np.array_equal(sound.take(count), WHOLE[:count])
    assert np.array_equal(sound.whole(), WHOLE[count:])
    assert sound.size == WHOLE[count:].size


@pytest.mark.parametrize("count", [1, 40, 41, 90, 91, 100, 101])
def test_the_last_samples_can_be_looked_at(count: int) -> None:
    sound = held()
    assert np.array_equal(sound.last(count), WHOLE[-count:])
    assert sound.size == WHOLE.size


def test_nothing_is_held_at_first_and_after_it_was_cleared() -> None:
    sound = held()
    sound.clear()
    for empty in (HeldSound(), sound):
        assert empty.size == 0
        assert empty.take(5).size == empty.last(5).size == empty.whole().size == 0

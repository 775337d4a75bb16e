from __future__ import annotations

import numpy as np
import pytest

from pipelines.engine.shared_models import WarmModels
from tests.pipelines.engine.channels.tts.said_twice import (
    part_said_twice,
    spoken_after,
    words_said_twice,
)
from tests.pipelines.engine.channels.tts.test_supervised_tts import TEXT
from tests.stand_ins.voice_faults import VOICE_HZ, Samples, joined, words_apart

BEGUN_SECONDS = 0.06
"""Of "Tuesday". After so much of it the recogniser hears the last sentence twice."""


async def broken_off(models: WarmModels, words: int, goes_on_with: int) -> Samples:
    """The stand-in has said so many words, and begun one more; the local voice goes on."""
    assert models.local.hibari is not None
    said = [samples for _, samples in words_apart(TEXT)]
    begun = said[words][: round(BEGUN_SECONDS * VOICE_HZ)]
    rest = await spoken_after(models.local.hibari, TEXT, goes_on_with)
    return np.concatenate((joined(said[:words]), begun, rest))


async def test_a_word_that_was_begun_is_measured(warm_models: WarmModels) -> None:
    heard = await broken_off(warm_models, 6, goes_on_with=6)
    part = await part_said_twice(warm_models, TEXT, heard)
    assert 0.05 < part < 0.2


@pytest.mark.parametrize("goes_on_with", [5, 7])
async def test_a_word_that_is_missing_or_comes_twice_is_told(
    warm_models: WarmModels, goes_on_with: int
) -> None:
    heard = await broken_off(warm_models, 6, goes_on_with)
    with pytest.raises(AssertionError):
        assert await part_said_twice(warm_models, TEXT, heard) < 0.75


@pytest.mark.parametrize(("goes_on_with", "words"), [(3, 3), (5, 1), (6, 0), (7, -1), (12, -6)])
async def test_words_that_are_missing_or_come_twice_are_counted(
    warm_models: WarmModels, goes_on_with: int, words: int
) -> None:
    heard = await broken_off(warm_models, 6, goes_on_with)
    assert await words_said_twice(warm_models, TEXT, heard) == words


async def test_a_sentence_that_comes_twice_is_told(warm_models: WarmModels) -> None:
    assert warm_models.local.hibari is not None
    heard = await broken_off(warm_models, 6, goes_on_with=6)
    again = await spoken_after(warm_models.local.hibari, TEXT, 10)
    with pytest.raises(AssertionError):
        await part_said_twice(warm_models, TEXT, np.concatenate((heard, again)))
    with pytest.raises(AssertionError):
        await words_said_twice(warm_models, TEXT, np.concatenate((heard, again)))

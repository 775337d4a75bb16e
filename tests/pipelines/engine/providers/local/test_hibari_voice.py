"""What the voice is given to read, with a model that only notes it, and how it says phonemes."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any, cast

import numpy as np
import pytest
from numpy.typing import NDArray

from pipelines.engine.providers.local.hibari_voice import HibariVoice
from pipelines.engine.shared_models import WarmModels
from pipelines.texts.phonemes import misaki
from tests.stand_ins.hearing import transcript


class Notes:
    def __init__(self) -> None:
        self.read: list[str] = []

    def split_sentences(self, text: str) -> list[str]:
        return [text]

    def __call__(self, sentence: str, **_: Any) -> NDArray[np.float32]:
        self.read.append(sentence)
        return np.zeros(1, np.float32)


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("It costs 1,000,000,000,000 yen.", "It costs 1,000,000,000,000 yen."),
        ("Card 1234567890123456, please.", "Card 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6, please."),
        ("1,000,000,000,000,000 seconds", "1 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 seconds"),
    ],
)
async def test_numbers_of_sixteen_digits_are_read_digit_by_digit(text: str, read: str) -> None:
    notes = Notes()
    voice = HibariVoice(cast("Any", notes), ThreadPoolExecutor(1))
    assert [piece async for piece in voice.speak(text, locale="en-US")]
    await voice.aclose()
    assert notes.read == [read]


async def test_a_word_is_said_by_its_phonemes_and_not_as_it_is_spelled(
    warm_models: WarmModels,
) -> None:
    voice = warm_models.local.hibari
    assert voice is not None
    text = f"The doctor sees patients every {misaki('Xqz', 'ˈmʌndeɪ')} morning."
    pieces = [np.frombuffer(pcm, np.int16) async for pcm in voice.speak(text, locale="en-US")]
    heard = await transcript(warm_models, np.concatenate(pieces))
    assert heard.rstrip(".") == "The doctor sees patients every Monday morning"

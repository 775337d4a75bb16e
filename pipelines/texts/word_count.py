"""About how many words a text has, in every script. Pure."""

from __future__ import annotations

import re

from pipelines.texts.utterance import WRITTEN_WITHOUT_SPACES

_UNSPACED = re.compile(WRITTEN_WITHOUT_SPACES)
_IDEOGRAPH = re.compile("[\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff]")
_IDEOGRAPHS_PER_WORD = 2
_LETTERS_PER_WORD = 4
"""Of kana, and of Thai, Lao, Burmese and Khmer without their vowel signs and tones."""


def word_count(text: str) -> int:
    """Where no spaces are written, the words are as long as they usually are there."""
    spaced = len(_UNSPACED.sub(" ", text).split())
    letters = [each for each in _UNSPACED.findall(text) if each.isalnum()]
    if not letters:
        return spaced
    ideographs = sum(_IDEOGRAPH.match(each) is not None for each in letters)
    others = len(letters) - ideographs
    return spaced + max(1, round(ideographs / _IDEOGRAPHS_PER_WORD + others / _LETTERS_PER_WORD))

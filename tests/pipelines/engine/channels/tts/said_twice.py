"""Whether a word is missing or comes twice where the local voice goes on for a stand-in.

The sound of both is known, so nobody has to understand it. A recogniser cannot tell: where a word
is begun and then said, it may hear a whole sentence twice.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from pipelines.engine.providers.local.speech_models import Voice
from pipelines.engine.shared_models import WarmModels
from tests.stand_ins.voice_faults import Samples, joined, words_apart

MOST_OF_A_WORD = 0.75
"""From there on it counts as said."""
MOST_WORDS_OFF = 1
"""That are missing or come twice, where a voice does not tell the times of its words."""

_sounds: dict[tuple[Voice, str], Samples] = {}


async def part_said_twice(models: WarmModels, text: str, heard: Samples) -> float:
    """How much of a word the stand-in had begun when the local voice said it.

    Raises:
        AssertionError: a word is missing, or comes twice.
    """
    return part_begun(text, heard, await _rests(models, text))


def part_said_twice_by_itself(text: str, heard: Samples) -> float:
    """The same where the stand-in goes on itself."""
    said = [samples for _, samples in words_apart(text)]
    return part_begun(text, heard, [joined(said[count:]) for count in range(len(said))])


def part_begun(text: str, heard: Samples, rests: Sequence[Samples]) -> float:
    """
    Args:
        rests: what the next voice says after so many words.
    """
    said = [_sounding(samples) for _, samples in words_apart(text)]
    begun, count = _begun(said, _sounding(heard), rests)
    whole = joined(said[:count])
    assert begun.size >= whole.size, f"word {count} is missing"
    return float((begun.size - whole.size) / said[count].size)


async def words_said_twice(models: WarmModels, text: str, heard: Samples) -> int:
    """How many words come twice where the local voice goes on for one that does not tell their
    times; below 0 how many are missing.

    Raises:
        AssertionError: something else than the words of ``text`` was heard.
    """
    said = [_sounding(samples) for _, samples in words_apart(text)]
    begun, count = _begun(said, _sounding(heard), await _rests(models, text))
    starts = np.cumsum([0, *(each.size for each in said)])
    parts = [MOST_OF_A_WORD * each.size for each in said]
    is_said = [begun.size >= start + part for start, part in zip(starts, parts, strict=False)]
    return sum(is_said) - count


def _begun(
    said: Sequence[Samples], sound: Samples, rests: Sequence[Samples]
) -> tuple[Samples, int]:
    """What the first voice has said, and after how many words the next one goes on."""
    for count, rest in enumerate(map(_sounding, rests)):
        begun = sound[: max(0, sound.size - rest.size)]
        if np.array_equal(sound[begun.size :], rest):
            assert np.array_equal(begun, joined(said)[: begun.size]), "words come twice"
            return begun, count
    raise AssertionError("what was heard does not end with words of the next voice")


async def _rests(models: WarmModels, text: str) -> list[Samples]:
    assert models.local.hibari is not None
    counts = range(len(text.split()))
    return [await spoken_after(models.local.hibari, text, count) for count in counts]


async def spoken_after(voice: Voice, text: str, count: int) -> Samples:
    """What the local voice makes of ``text`` after so many words, sentence by sentence."""
    begin = [match.start() for match in re.finditer(r"\S+", text)][count]
    ends = [*(match.end() for match in re.finditer(r"\. ", text)), len(text)]
    sentences = [text[max(begin, a) : b] for a, b in pairwise([0, *ends]) if b > begin]
    return joined([await _spoken(voice, sentence.strip()) for sentence in sentences])


async def _spoken(voice: Voice, sentence: str) -> Samples:
    """The voice says a sentence always in the same way, so it is made once for all tests."""
    if (voice, sentence) not in _sounds:
        pieces = [
            np.frombuffer(pcm, np.int16) async for pcm in voice.speak(sentence, locale="en-US")
        ]
        _sounds[voice, sentence] = joined(pieces)
    return _sounds[voice, sentence]


def _sounding(samples: Samples) -> Samples:
    """Without digital silence: the engine adds some between requests."""
    return samples[samples != 0]

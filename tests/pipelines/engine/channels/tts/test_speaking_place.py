"""Where the next voice begins, with sound that is loud where a word is said."""

from __future__ import annotations

import numpy as np
import pytest
from livekit.agents.types import TimedString

from pipelines.engine.channels.tts.speaking_place import BrokenSpeech, SpeakingPlace
from pipelines.engine.channels.tts.timed_words import TimedWords
from tests.stand_ins.voice_faults import Samples

RATE_HZ = 24_000
TEXT = "Come on Monday morning. Please be early."


def loud(seconds: float) -> Samples:
    return np.full(round(seconds * RATE_HZ), 3_000, np.int16)


def silent(seconds: float) -> Samples:
    return np.zeros(round(seconds * RATE_HZ), np.int16)


def told(*words: str) -> TimedWords:
    """Words of half a second each."""
    timed = TimedWords()
    for place, word in enumerate(words):
        timed.add([TimedString(word, start_time=place / 2, end_time=(place + 1) / 2)], 0.0)
    return timed


async def rest(handed: Samples, held: Samples, timed: TimedWords) -> tuple[str, float]:
    """What the next voice says, and how many seconds of ``held`` are heard before."""
    speech = BrokenSpeech(TEXT, handed, held, RATE_HZ, 15.0, timed)
    place = await SpeakingPlace(None).find(speech)
    return TEXT[place.rest :], place.cut / RATE_HZ


async def test_a_word_that_is_not_whole_is_cut_and_said_again() -> None:
    said = await rest(loud(1.0), loud(0.8), told("Come", "on", "Monday"))
    assert said == ("morning. Please be early.", 0.5)


async def test_a_word_that_was_heard_already_is_not_said_again() -> None:
    said = await rest(loud(2.0), loud(0.0), told("Come", "on", "Monday"))
    assert said == ("Please be early.", 0.0)


@pytest.mark.parametrize("pause_seconds", [0.1, 0.6, 1.5])
async def test_the_silence_after_a_sentence_is_no_word(pause_seconds: float) -> None:
    """The voice tells a sentence's last word only when the next one begins."""
    handed = np.concatenate((loud(2.0), silent(pause_seconds)))
    said = await rest(handed, silent(0.2), told("Come", "on", "Monday"))
    assert said == ("Please be early.", 0.0)


@pytest.mark.parametrize("pause_seconds", [0.1, 1.5])
async def test_without_times_silence_is_no_word_either(pause_seconds: float) -> None:
    # "Come on Monday", at fifteen characters in a second.
    handed = np.concatenate((loud(14 / 15), silent(pause_seconds)))
    said, _ = await rest(handed, silent(0.2), TimedWords())
    assert said == "morning. Please be early."


async def test_what_made_no_sound_is_said_from_the_beginning() -> None:
    assert await rest(silent(1.0), silent(0.5), told("Come")) == (TEXT, 0.0)

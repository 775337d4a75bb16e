"""Finds the word at which a voice broke off, and where its sound is cut."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import structlog
from livekit import rtc

from pipelines.engine.channels.sound_check import is_audible
from pipelines.engine.channels.timed_words import TimedWords
from pipelines.engine.channels.word_end import quietest, word_ends
from pipelines.engine.channels.words_heard import SpeakableText, ends_with_word, letters_heard
from pipelines.engine.providers.local.speech_models import (
    HEARING_RATE,
    ModelError,
    Recogniser,
    Samples,
)

DEFAULT_CHARACTERS_PER_SECOND = 15.0
_MOST_SECONDS = 0.8
"""For which the recogniser is asked. The caller may hear nothing meanwhile."""
_LONGEST_SECONDS = 4.0
"""Of sound that the recogniser gets at once: more takes too long."""
_MOST_CUTS = 2
"""How many places the recogniser looks at."""
_OFF_SECONDS = 0.15
"""How far from where it should be a word may end."""
_DECIBELS_PER_SECOND = 60.0
"""What a second off weighs against loudness."""

logger = structlog.get_logger(__name__)


@dataclass(frozen=True)
class BrokenSpeech:
    """What a voice made of ``text`` before it broke off."""

    text: str
    handed: Samples
    """Sound that was handed on, mono."""
    held: Samples
    """Sound after it that was not, and may be cut."""
    rate_hz: int
    characters_per_second: float
    timed: TimedWords

    @property
    def sound(self) -> Samples:
        return np.concatenate((self.handed, self.held))

    @property
    def handed_seconds(self) -> float:
        return self.handed.size / self.rate_hz

    @property
    def seconds(self) -> float:
        return (self.handed.size + self.held.size) / self.rate_hz


@dataclass(frozen=True)
class Place:
    cut: int
    """How many samples of what was held are handed on."""
    rest: int
    """Where the next voice begins in the text."""


class SpeakingPlace:
    def __init__(self, recogniser: Recogniser | None) -> None:
        """
        Args:
            recogniser: one that understands the language of the call, if there is one.
        """
        self._recogniser = recogniser

    async def find(self, speech: BrokenSpeech) -> Place:
        if not is_audible(speech.sound):
            return Place(0, 0)
        if speech.timed:
            return _by_told_times(speech)
        if self._recogniser is not None:
            try:
                async with asyncio.timeout(_MOST_SECONDS):
                    return await self._by_hearing(speech, self._recogniser)
            except (ModelError, TimeoutError) as error:
                logger.warning("voice.place_estimated", error=repr(error))
        return _by_rate(speech)

    async def _by_hearing(self, speech: BrokenSpeech, recogniser: Recogniser) -> Place:
        text = SpeakableText.of(speech.text)
        heard = await _understood(recogniser, speech.sound, speech.rate_hz)
        said = _letters(text, speech, heard, speech.seconds)
        best: Place | None = None
        for words, cut in list(_cuts(text, speech, said))[:_MOST_CUTS]:
            until = speech.handed.size + cut
            if until != speech.sound.size:
                heard = await _understood(recogniser, speech.sound[:until], speech.rate_hz)
            place = Place(cut, text.rest_after(words))
            if ends_with_word(heard, text.word(words - 1)):
                return place
            best = best or place
        if best is not None:
            return best
        return Place(speech.held.size, text.rest_after(text.words_within(said)))


def _by_told_times(speech: BrokenSpeech) -> Place:
    text = SpeakableText.of(speech.text)
    told = speech.timed.until(speech.seconds)
    end = speech.timed.end_of(len(told))
    cut = round((end - speech.handed_seconds) * speech.rate_hz)
    written = " ".join(told)
    said = float(letters_heard(text, written, len(written)))
    if cut < 0:
        # The voice tells the last word late. It was handed on already.
        said += (speech.handed_seconds - end) * _letters_per_second(text, speech)
        cut = 0
    return Place(min(cut, speech.held.size), text.rest_after(text.words_within(said)))


def _by_rate(speech: BrokenSpeech) -> Place:
    text = SpeakableText.of(speech.text)
    said = speech.seconds * _letters_per_second(text, speech)
    for words, cut in _cuts(text, speech, round(said)):
        return Place(cut, text.rest_after(words))
    return Place(speech.held.size, text.rest_after(text.words_within(said)))


def _cuts(text: SpeakableText, speech: BrokenSpeech, said: int) -> Iterator[tuple[int, int]]:
    """After how many words, and at which sample of what was held, the sound may be cut; the best
    first. ``said`` are the letters in all of the sound."""
    words = [count for count, end in enumerate(text.ends, start=1) if end <= said]
    shares = [text.letters_until(count) / max(1, said) for count in words]
    off, sound = round(_OFF_SECONDS * speech.rate_hz), speech.sound
    rated = []
    for count, about in zip(words, word_ends(sound, speech.rate_hz, shares), strict=True):
        begin, end = max(about - off, speech.handed.size), min(about + off, sound.size)
        if end - begin < off // 2:
            continue
        place, decibels = quietest(sound, speech.rate_hz, begin, end)
        distance = abs(place - about) / speech.rate_hz
        rated.append((decibels + _DECIBELS_PER_SECOND * distance, count, place))
    for _, count, place in sorted(rated):
        yield count, place - speech.handed.size


def _letters(text: SpeakableText, speech: BrokenSpeech, heard: str, seconds: float) -> int:
    is_all = seconds <= _LONGEST_SECONDS
    expected = seconds * _letters_per_second(text, speech)
    return letters_heard(text, heard, expected, from_beginning=is_all)


def _letters_per_second(text: SpeakableText, speech: BrokenSpeech) -> float:
    return speech.characters_per_second * len(text.letters) / max(1, len(speech.text))


async def _understood(recogniser: Recogniser, sound: Samples, rate_hz: int) -> str:
    sound = sound[-round(_LONGEST_SECONDS * rate_hz) :]
    resampler = rtc.AudioResampler(rate_hz, HEARING_RATE)
    frame = rtc.AudioFrame(sound.tobytes(), rate_hz, 1, sound.size)
    frames = [*resampler.push(frame), *resampler.flush()]
    return await recogniser.transcribe(
        np.concatenate([np.frombuffer(each.data, np.int16) for each in frames])
    )

"""Finds the word at which a voice broke off, and where its sound is cut."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

import numpy as np
import structlog
from livekit import rtc

from pipelines.engine.channels.tts.sound_check import audible_size, is_audible
from pipelines.engine.channels.tts.timed_words import TimedWords
from pipelines.engine.channels.tts.word_end import quiet_places
from pipelines.engine.channels.tts.words_heard import SpeakableText, Understood, understood
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
_MOST_CUTS = 4
"""How many places the recogniser looks at."""

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
        text = SpeakableText.of(speech.text)
        give_up_at = asyncio.get_running_loop().time() + _MOST_SECONDS
        best: tuple[int, Place] | None = None
        for cut in _cuts(speech)[:_MOST_CUTS]:
            said = await self._understood(text, speech, cut, give_up_at)
            if said is None:
                break
            place = Place(cut, text.rest_after(said.words))
            if not said.invented:
                return place
            if best is None or said.invented < best[0]:
                best = said.invented, place
        if best is None or not best[1].rest:
            # A voice was heard, and no word of the text: one word alone is hard to understand.
            return _by_rate(text, speech)
        return best[1]

    async def _understood(
        self, text: SpeakableText, speech: BrokenSpeech, cut: int, give_up_at: float
    ) -> Understood | None:
        """What of the text is in the sound up to ``cut``, if the recogniser can say in time."""
        if self._recogniser is None:
            return None
        end = speech.handed.size + cut
        begin = max(0, end - round(_LONGEST_SECONDS * speech.rate_hz))
        sound = _at_hearing_rate(speech.sound[begin:end], speech.rate_hz)
        try:
            async with asyncio.timeout_at(give_up_at):
                heard = await self._recogniser.transcribe(sound)
        except (ModelError, TimeoutError) as error:
            logger.warning("voice.place_estimated", error=repr(error))
            return None
        expected = text.words_within(begin / speech.rate_hz * speech.characters_per_second)
        return understood(text, heard, expected)


def _cuts(speech: BrokenSpeech) -> list[int]:
    """Where words may end in what was held; its end if nowhere."""
    return quiet_places(speech.held, speech.rate_hz) or [speech.held.size]


def _by_told_times(speech: BrokenSpeech) -> Place:
    text = SpeakableText.of(speech.text)
    told = speech.timed.until(speech.seconds)
    end = speech.timed.end_of(len(told))
    cut = round((end - speech.handed_seconds) * speech.rate_hz)
    words = understood(text, " ".join(told)).words
    if cut < 0:
        # The voice tells the last word late. It was handed on already.
        late_seconds = audible_size(speech.handed) / speech.rate_hz - end
        late = max(0.0, late_seconds) * speech.characters_per_second
        words = max(words, text.words_within(text.rest_after(words) + late))
    return Place(min(max(0, cut), speech.held.size), text.rest_after(words))


def _by_rate(text: SpeakableText, speech: BrokenSpeech) -> Place:
    cut = _cuts(speech)[0]
    heard = speech.sound[: speech.handed.size + cut]
    seconds = audible_size(heard) / speech.rate_hz
    words = text.words_within(seconds * speech.characters_per_second)
    return Place(cut, text.rest_after(words))


def _at_hearing_rate(sound: Samples, rate_hz: int) -> Samples:
    resampler = rtc.AudioResampler(rate_hz, HEARING_RATE)
    frame = rtc.AudioFrame(sound.tobytes(), rate_hz, 1, sound.size)
    frames = [*resampler.push(frame), *resampler.flush()]
    return np.concatenate([np.frombuffer(each.data, np.int16) for each in frames])

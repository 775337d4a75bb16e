"""What a caller hears when no voice works: the platform's apology, made when the process starts."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import structlog
from livekit import rtc

from pipelines.engine.providers.local.speech_models import (
    LocalModels,
    ModelError,
    Samples,
    Voice,
)
from pipelines.texts import phrases
from pipelines.texts.language import primary_language

_TONE_HZ = 425.0
_TONE_SECONDS = 0.25
_PAUSE_SECONDS = 0.15
_TONES = 3
_FADE_SECONDS = 0.02
_LOUDNESS = 0.2
_ENGLISH = "en"

logger = structlog.get_logger(__name__)


class RecordedWords:
    """Of one process. Playing them needs no model."""

    def __init__(self, rate_hz: int, words: Mapping[str, Samples]) -> None:
        """
        Args:
            words: the apology by primary language, mono at ``rate_hz``.
        """
        self._rate_hz = rate_hz
        self._words = dict(words)
        self._tone = _tones(rate_hz)

    def frame(self, locale: str) -> rtc.AudioFrame:
        """The apology in the language of ``locale``, else in English, else a short tone."""
        samples = self._words.get(primary_language(locale))
        if samples is None:
            samples = self._words.get(_ENGLISH, self._tone)
        return rtc.AudioFrame(samples.tobytes(), self._rate_hz, 1, samples.size)


async def record_words(local: LocalModels, rate_hz: int) -> RecordedWords:
    """Let the local voices say the apology in each language that they speak.

    Takes about 0.3 s. A language whose voice is missing or fails is left out.
    """
    words: dict[str, Samples] = {}
    for language in phrases.languages():
        voice = local.hibari if language == _ENGLISH and local.hibari else local.espeak
        if voice is None:
            continue
        try:
            words[language] = await _said(voice, phrases.apology(language), language, rate_hz)
        except ModelError as error:
            logger.warning("recorded_words.not_made", language=language, error=str(error))
    return RecordedWords(rate_hz, words)


async def _said(voice: Voice, text: str, locale: str, rate_hz: int) -> Samples:
    pcm = b"".join([piece async for piece in voice.speak(text, locale=locale)])
    if voice.sample_rate == rate_hz:
        return np.frombuffer(pcm, np.int16)
    resampler = rtc.AudioResampler(voice.sample_rate, rate_hz)
    frames = [*resampler.push(bytearray(pcm)), *resampler.flush()]
    return np.concatenate([np.frombuffer(frame.data, np.int16) for frame in frames])


def _tones(rate_hz: int) -> Samples:
    times = np.arange(round(_TONE_SECONDS * rate_hz)) / rate_hz
    fade = np.minimum(1.0, np.minimum(times, times[::-1]) / _FADE_SECONDS)
    tone = _LOUDNESS * fade * np.sin(2 * np.pi * _TONE_HZ * times)
    pause = np.zeros(round(_PAUSE_SECONDS * rate_hz))
    samples: Samples = (np.tile(np.concatenate((tone, pause)), _TONES) * 32_767).astype(np.int16)
    return samples

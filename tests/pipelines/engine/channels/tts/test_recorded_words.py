from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass, replace

import numpy as np
import pytest

from pipelines.engine.channels.tts.recorded_words import RecordedWords, record_words
from pipelines.engine.channels.tts.supervised_tts import RATE_HZ
from pipelines.engine.providers.local.loaded_models import LoadedModels
from pipelines.engine.providers.local.speech_models import ModelError
from pipelines.engine.shared_models import WarmModels
from pipelines.texts import phrases
from tests.pipelines.conversations import words
from tests.stand_ins.hearing import transcript


async def test_the_apology_is_recorded_in_the_languages_of_the_local_voices(
    warm_models: WarmModels,
) -> None:
    recorded = await record_words(warm_models.local, RATE_HZ)
    frame = recorded.frame("en-US")
    heard = await transcript(warm_models, np.frombuffer(frame.data, np.int16))
    assert words(heard)[: len(words(phrases.apology("en")))] == words(phrases.apology("en"))
    lengths = {recorded.frame(language).samples_per_channel for language in phrases.languages()}
    assert len(lengths) == len(phrases.languages())


async def test_a_language_without_a_recording_gets_english(warm_models: WarmModels) -> None:
    recorded = await record_words(warm_models.local, RATE_HZ)
    assert bytes(recorded.frame("ja-JP").data) == bytes(recorded.frame("en").data)


def test_without_a_local_voice_there_is_a_short_tone() -> None:
    frame = RecordedWords(RATE_HZ, {}).frame("en-US")
    samples = np.frombuffer(frame.data, np.int16).astype(np.float64)
    spectrum = np.abs(np.fft.rfft(samples))
    assert abs(int(np.argmax(spectrum)) * RATE_HZ / samples.size - 425) < 10
    assert frame.duration < 1.5


@dataclass
class BrokenVoice:
    sample_rate: int = RATE_HZ

    async def speak(self, text: str, *, locale: str) -> AsyncIterator[bytes]:
        raise ModelError("broken")
        yield b""


@pytest.mark.parametrize("voice", [None, BrokenVoice()])
async def test_a_voice_that_is_missing_or_broken_leaves_its_language_out(
    voice: BrokenVoice | None,
) -> None:
    local = LoadedModels(moonshine=None, hibari=None, espeak=None, end_of_turn=None)
    recorded = await record_words(replace(local, espeak=voice), RATE_HZ)  # type: ignore[arg-type]
    assert bytes(recorded.frame("de").data) == bytes(RecordedWords(RATE_HZ, {}).frame("de").data)

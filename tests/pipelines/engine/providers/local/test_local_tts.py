"""The offline voices make audible speech of the right length."""

from __future__ import annotations

import numpy as np
import pytest
from livekit.agents import APIError
from numpy.typing import NDArray

from pipelines.engine.providers.local.local_tts import LocalTTS
from pipelines.engine.providers.local.speech_models import Voice
from pipelines.engine.shared_models import WarmModels


async def speech(voice: Voice, text: str, locale: str = "en-US") -> NDArray[np.int16]:
    async with LocalTTS(voice, model="voice", locale=locale).synthesize(text) as stream:
        frame = await stream.collect()
    assert frame.sample_rate == voice.sample_rate
    return np.asarray(frame.data, np.int16)


def hibari(models: WarmModels) -> Voice:
    assert models.local.hibari is not None
    return models.local.hibari


async def test_a_sentence_sounds_at_once(warm_models: WarmModels) -> None:
    samples = await speech(hibari(warm_models), "Good morning, how can I help you?")
    first_audible = np.flatnonzero(np.abs(samples) > 300)[0]
    assert first_audible / 24_000 < 0.05
    assert 1.0 < len(samples) / 24_000 < 3.5


async def test_each_sentence_is_a_piece_of_its_own(warm_models: WarmModels) -> None:
    pieces = hibari(warm_models).speak("One moment. I will look. Thank you.", locale="en-US")
    assert len([piece async for piece in pieces]) == 3


async def test_text_without_a_sound_is_a_breath_and_no_failure(warm_models: WarmModels) -> None:
    samples = await speech(hibari(warm_models), "…")
    assert 0 < len(samples) < 24_000


@pytest.mark.parametrize("number", ["7" * 40, "777," * 12 + "777"])
async def test_a_number_without_a_name_is_read_digit_by_digit(
    number: str, warm_models: WarmModels
) -> None:
    assert len(await speech(hibari(warm_models), number)) / 24_000 > 5.0


@pytest.mark.parametrize(
    ("locale", "text"),
    [
        ("de-DE", "Guten Tag, wie kann ich helfen?"),
        ("hi-IN", "नमस्ते, मैं आपकी क्या मदद कर सकती हूँ?"),
        ("pt-BR", "Bom dia, como posso ajudar?"),
        ("zh-CN", "你好，我能帮你什么吗？"),
    ],
)
async def test_espeak_speaks_other_languages(
    warm_models: WarmModels, locale: str, text: str
) -> None:
    assert warm_models.local.espeak is not None
    samples = await speech(warm_models.local.espeak, text, locale)
    assert np.abs(samples).max() > 1000
    assert len(samples) / warm_models.local.espeak.sample_rate > 0.8


async def test_a_language_without_a_voice_is_an_error(warm_models: WarmModels) -> None:
    assert warm_models.local.espeak is not None
    with pytest.raises(APIError, match="qq-QQ"):
        await speech(warm_models.local.espeak, "hm", "qq-QQ")

"""Cartesia speech recognition and voices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pipelines.engine.providers.spec import ModelRequest, ProviderSpec
from pipelines.texts.language import primary_language

if TYPE_CHECKING:
    from livekit.agents import stt, tts

_WITHOUT_KEY_TERMS = "ink-whisper"
_TIMES_WORDS = frozenset({"en", "de", "es", "fr"})
"""Languages in which Cartesia returns the time of each word."""


def _build_stt(request: ModelRequest) -> stt.STT[Any]:
    from livekit.agents import NOT_GIVEN
    from livekit.plugins import cartesia

    keywords = request.keywords
    takes_key_terms = not request.choice.model.startswith(_WITHOUT_KEY_TERMS)
    return cartesia.STT(
        model=request.choice.model,
        language=request.plan.locale,
        api_key=request.api_key(),
        base_url=request.base_url,
        http_session=request.models.http_session,
        keyterm=list(keywords) if keywords and takes_key_terms else NOT_GIVEN,
    )


def _build_tts(request: ModelRequest) -> tts.TTS[Any]:
    from livekit.plugins import cartesia
    from livekit.plugins.cartesia.models import TTSDefaultVoiceId

    language = primary_language(request.plan.locale)
    return cartesia.TTS(
        model=request.choice.model,
        voice=request.choice.voice or TTSDefaultVoiceId,
        language=language,
        word_timestamps=language in _TIMES_WORDS,
        api_key=request.api_key(),
        base_url=request.base_url,
        http_session=request.models.http_session,
    )


CARTESIA = ProviderSpec(
    name="cartesia", stt=_build_stt, tts=_build_tts, plugin="livekit.plugins.cartesia"
)

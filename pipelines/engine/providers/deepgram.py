"""Deepgram speech recognition and voices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pipelines.engine.providers.spec import ModelRequest, ProviderSpec
from pipelines.texts.language import primary_language

if TYPE_CHECKING:
    from livekit.agents import stt, tts

_KEY_TERM_MODELS = "nova-3"
"""Models that accept key terms. Earlier ones accept weighted keywords instead."""
_KEYWORD_BOOST = 1.5
# fmt: off
_REGIONAL = frozenset({
    "da-DK", "de-CH", "en-AU", "en-GB", "en-IN", "en-NZ", "en-US", "es-419", "fr-CA", "ko-KR",
    "nl-BE", "pt-BR", "pt-PT", "sv-SE", "th-TH", "zh-CN", "zh-HK", "zh-TW",
})
# fmt: on
"""The tags with a region that Deepgram accepts ("Models & Languages Overview"). It refuses others,
such as ``de-DE`` or ``hi-IN``."""


def _build_stt(request: ModelRequest) -> stt.STT[Any]:
    from livekit.agents import NOT_GIVEN
    from livekit.plugins import deepgram

    advanced = request.plan.agent.advanced
    locale = request.plan.locale
    keywords = request.keywords
    takes_key_terms = request.choice.model.startswith(_KEY_TERM_MODELS)
    return deepgram.STT(
        model=request.choice.model,
        language=locale if locale in _REGIONAL else primary_language(locale),
        api_key=request.api_key(),
        base_url=f"{request.base_url}/listen",
        http_session=request.models.http_session,
        numerals=advanced.stt_numeral_formatting,
        profanity_filter=advanced.stt_profanity_filter,
        keyterm=list(keywords) if keywords and takes_key_terms else NOT_GIVEN,
        keywords=(
            [(word, _KEYWORD_BOOST) for word in keywords]
            if keywords and not takes_key_terms
            else NOT_GIVEN
        ),
        mip_opt_out=True,
    )


def _build_tts(request: ModelRequest) -> tts.TTS[Any]:
    from livekit.plugins import deepgram

    return deepgram.TTS(
        # Deepgram's voices are its models: ``aura-2-thalia-en`` is both, and the language too.
        model=request.choice.voice or request.choice.model,
        api_key=request.api_key(),
        base_url=f"{request.base_url}/speak",
        http_session=request.models.http_session,
        mip_opt_out=True,
    )


DEEPGRAM = ProviderSpec(
    name="deepgram", stt=_build_stt, tts=_build_tts, plugin="livekit.plugins.deepgram"
)

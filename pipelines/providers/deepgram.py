"""Deepgram speech recognition."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pipelines.keywords import split_keywords
from pipelines.providers.spec import ModelRequest, ProviderSpec, ProviderUnavailable
from pipelines.settings import ProviderSettings

if TYPE_CHECKING:
    from livekit.agents import stt

_KEY_TERM_MODELS = "nova-3"
"""Models that take key terms; earlier ones take weighted keywords instead."""
_KEYWORD_BOOST = 1.5
_BASE_URL = "https://api.deepgram.com/v1/listen"


def _has_key(settings: ProviderSettings) -> bool:
    return settings.deepgram_api_key is not None


def _preload() -> None:
    import livekit.plugins.deepgram  # noqa: F401


def _build_stt(request: ModelRequest) -> stt.STT[Any]:
    from livekit.agents import NOT_GIVEN
    from livekit.plugins import deepgram

    settings = request.models.settings
    if settings.deepgram_api_key is None:
        raise ProviderUnavailable("deepgram has no key")
    advanced = request.plan.agent.advanced
    keywords = split_keywords(advanced.stt_keywords)
    takes_key_terms = request.choice.model.startswith(_KEY_TERM_MODELS)
    return deepgram.STT(
        model=request.choice.model,
        language=request.plan.locale,
        api_key=settings.deepgram_api_key,
        base_url=settings.deepgram_base_url or _BASE_URL,
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


DEEPGRAM = ProviderSpec(name="deepgram", is_available=_has_key, stt=_build_stt, preload=_preload)

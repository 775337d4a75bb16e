"""Asks a voice's provider to speak a sentence."""

from __future__ import annotations

import asyncio
from uuid import UUID

import httpx2
import structlog
from sqlalchemy.ext.asyncio import AsyncSession

from contracts.sealing import CannotOpen
from control_plane.building.catalogue.models import CatalogueVoice
from control_plane.building.catalogue.repository import list_models, list_voices
from control_plane.building.provider_keys.repository import own_keys_allowed, sealed_keys
from control_plane.building.voice_samples.errors import (
    VoiceNeedsKey,
    VoiceNotFound,
    VoiceNotSampled,
)
from control_plane.building.voice_samples.vendors import SAMPLED, SampleRequest, Wanted, sound_of
from control_plane.platform.errors import InvalidRequest
from control_plane.platform.language_model.connection import connection
from control_plane.platform.settings import ControlPlaneSettings
from outbound.client import read_limited
from pipelines.settings import ProviderSettings
from pipelines.stack import LOCAL
from pipelines.texts.language import ANY_LANGUAGE, primary_language
from pipelines.texts.phrases import greeting

_SECONDS = 10.0
"""For the whole sample."""
_MOST_BYTES = 2_000_000
_ENGLISH = "en"
_log = structlog.get_logger(__name__)


async def find_voice(session: AsyncSession, provider: str, voice_id: str) -> CatalogueVoice:
    """
    Raises:
        InvalidRequest: no samples are made of the provider's voices.
        VoiceNotFound: the catalogue does not have the voice.
    """
    if provider == LOCAL:
        raise InvalidRequest.at(
            "provider", "has voices of this machine: the console has recordings of them"
        )
    if provider not in SAMPLED:
        raise InvalidRequest.at("provider", f"must be one of {', '.join(SAMPLED)}")
    for voice in await list_voices(session, provider=provider):
        if voice.id == voice_id:
            return voice
    raise VoiceNotFound(
        f"{provider} has no voice {voice_id!r} here; GET /v1/agents/voices lists it"
    )


async def key_for(
    session: AsyncSession, tenant_id: UUID, provider: str, settings: ControlPlaneSettings
) -> str:
    """The tenant's own key if its plan allows one, or the platform's.

    Raises:
        VoiceNeedsKey: there is neither, or the tenant's can no longer be read.
    """
    if await own_keys_allowed(session, tenant_id):
        sealed = (await sealed_keys(session, tenant_id, [provider])).get(provider)
        if sealed is not None:
            try:
                return settings.sealer.open(sealed)
            except CannotOpen as error:
                raise VoiceNeedsKey(
                    f"Your key for {provider} can no longer be read; set it again"
                ) from error
    key = settings.provider_api_keys.get(provider)
    if key is None:
        raise VoiceNeedsKey(f"To hear voices of {provider}, set your own key for it")
    return key


async def sentence_of(session: AsyncSession, voice: CatalogueVoice, text: str | None) -> Wanted:
    """
    Args:
        text: ``None`` for a greeting in the voice's first language.

    Raises:
        InvalidRequest: only realtime models speak with the voice, and they say what they like.
    """
    speaking = {
        model.model
        for model in await list_models(session)
        if model.provider == voice.provider and model.modality != "realtime"
    }
    model = next((model for model in voice.models if model in speaking), None)
    if model is None:
        raise InvalidRequest.at("id", "is a voice of realtime models only: hear it on a call")
    first = next(iter(voice.languages), ANY_LANGUAGE)
    language = _ENGLISH if first == ANY_LANGUAGE else primary_language(first)
    return Wanted(voice.id, model, text or greeting(language, voice.name), language)


async def sample(
    provider: str, wanted: Wanted, key: str, settings: ControlPlaneSettings
) -> tuple[bytes, str]:
    """The sound and its media type.

    Raises:
        VoiceNotSampled: the provider refuses, fails or takes too long.
    """
    addresses = ProviderSettings(base_urls=settings.provider_base_urls)
    request = SAMPLED[provider](wanted, key)
    try:
        async with asyncio.timeout(_SECONDS):
            answer = await _answer(provider, addresses.base_url(provider), request)
        return sound_of(provider, answer)
    except (TimeoutError, httpx2.HTTPError) as error:
        # Only the kind of error: its text may repeat the request, which has the key.
        _log.warning("voice_sample.failed", provider=provider, error=type(error).__name__)
        raise VoiceNotSampled(f"{provider} did not answer in time; try again") from None
    except ValueError as error:
        raise VoiceNotSampled(f"{provider} sent no sound: {error}") from error


async def _answer(provider: str, base_url: str, request: SampleRequest) -> bytes:
    async with (
        connection(_SECONDS) as http,
        http.stream(
            "POST", base_url + request.path, headers=dict(request.headers), json=request.body
        ) as answer,
    ):
        if not answer.is_success:
            raise VoiceNotSampled(
                f"{provider} answered {answer.status_code}. Check the key, and that its account "
                "may use the voice"
            )
        return await read_limited(answer, _MOST_BYTES)

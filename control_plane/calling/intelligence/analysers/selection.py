"""Chooses who analyses a call.

That is the model that the call's settings name, else the platform's model, else the local analyser.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from contracts.agent_config import PostCallModel
from contracts.sealing import CannotOpen
from control_plane.building.provider_keys.repository import own_keys_allowed, sealed_keys
from control_plane.calling.intelligence.analysers.assignment import Assignment
from control_plane.calling.intelligence.analysers.findings import Findings, Obstacle, PartError
from control_plane.calling.intelligence.analysers.local.analyser import LocalAnalyser
from control_plane.calling.intelligence.analysers.model.analyser import ModelAnalyser
from control_plane.calling.intelligence.analysers.model.paid_answers import PaidOnce
from control_plane.platform.database import Database
from control_plane.platform.language_model import google_gemini, openai_chat
from control_plane.platform.language_model.completions import LanguageModel
from control_plane.platform.settings import ControlPlaneSettings
from pipelines.settings import ProviderSettings

_MODELS: Mapping[str, Callable[..., LanguageModel]] = {
    openai_chat.PROVIDER: openai_chat.OpenAIChat,
    google_gemini.PROVIDER: google_gemini.GoogleGemini,
}


class Analyser(Protocol):
    @property
    def provider(self) -> str: ...

    @property
    def model(self) -> str: ...

    async def analyse(self, assignment: Assignment) -> Findings:
        """Find every part that ``assignment`` asks for. ``errors`` names the parts it could not."""
        ...


@dataclass(frozen=True)
class Unavailable:
    """The model that the settings name cannot be used. No other model replaces it silently."""

    provider: str
    model: str
    error: PartError


async def choose_analyser(
    session: AsyncSession,
    database: Database,
    settings: ControlPlaneSettings,
    tenant_id: UUID,
    job_id: UUID,
    wanted: PostCallModel,
) -> Analyser | Unavailable:
    """
    Args:
        database: where the answers for the analysis ``job_id`` are stored.
        wanted: the provider and model that the call's settings name, if any.
    """
    provider = wanted.provider or settings.post_call.provider
    if provider is None:
        return LocalAnalyser()
    model = wanted.model or settings.post_call.models.get(provider)
    if model is None:
        return _unavailable(
            provider, "", f"No model is set for {provider}: set post_call.model.model"
        )
    try:
        key = await _key_of(session, settings, tenant_id, provider)
    except CannotOpen:
        return _unavailable(provider, model, f"Your key for {provider} can no longer be read")
    if key is None:
        return _unavailable(
            provider,
            model,
            f"There is no key for {provider}: set your own with PUT /v1/provider-keys/{provider}, "
            "or leave post_call.model empty",
        )
    return ModelAnalyser(
        PaidOnce(_language_model(settings, provider, model, key), database, tenant_id, job_id)
    )


def _language_model(
    settings: ControlPlaneSettings, provider: str, model: str, key: str
) -> LanguageModel:
    addresses = ProviderSettings(base_urls=settings.provider_base_urls)
    return _MODELS[provider](
        model=model,
        api_key=key,
        base_url=addresses.base_url(provider),
        timeout_seconds=settings.post_call.timeout_seconds,
    )


async def _key_of(
    session: AsyncSession, settings: ControlPlaneSettings, tenant_id: UUID, provider: str
) -> str | None:
    """The tenant's own key if its plan allows one, else the platform's key.

    Raises:
        CannotOpen: the tenant's key was sealed with a key that no longer exists.
    """
    own = (await sealed_keys(session, tenant_id, [provider])).get(provider)
    if own is not None and await own_keys_allowed(session, tenant_id):
        return settings.sealer.open(own)
    return settings.post_call.api_keys.get(provider)


def _unavailable(provider: str, model: str, message: str) -> Unavailable:
    return Unavailable(provider, model, PartError(None, Obstacle.PROVIDER_KEY_UNAVAILABLE, message))

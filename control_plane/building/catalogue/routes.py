"""``/v1``: models, voices and managed SKUs to choose from, and previews of stacks."""

from __future__ import annotations

import asyncio
from typing import Annotated

from fastapi import APIRouter, Query

from contracts.agent_config import AgentConfig
from contracts.language_tag import LanguageTag
from control_plane.building.agents.stacks import changed_choices, provider_config, report_stacks
from control_plane.building.catalogue import price_repository, repository
from control_plane.building.catalogue.schemas import (
    Gender,
    LlmOptions,
    SkuList,
    StackChange,
    StackPreview,
    StackPreviewRequest,
    VoiceList,
)
from control_plane.building.catalogue.views import model_view, own_model_view, sku_view, voice_view
from control_plane.building.provider_keys.dependencies import TenantKeys
from control_plane.building.provider_keys.repository import own_server
from control_plane.identity.authentication.dependencies import MemberCaller, TenantSession
from control_plane.identity.authentication.refusals import MEMBER_ONLY
from control_plane.platform.http.openapi import problems
from pipelines.settings import OPENAI_COMPATIBLE

router = APIRouter(prefix="/v1", tags=["catalogue"], responses=problems(*MEMBER_ONLY))

_Text = Annotated[str | None, Query(max_length=200)]


@router.get("/agents/llm-options")
async def list_llm_options(
    caller: MemberCaller, session: TenantSession, keys: TenantKeys
) -> LlmOptions:
    """List every model and voice offered, and what each needs before you can use it."""
    server = await own_server(session, caller.tenant_id) if keys.own_models else None
    catalogue = await repository.stack_catalogue(session)
    prices = await price_repository.prices_at(session)
    models = await repository.list_models(session)
    voices = await repository.list_voices(session)
    return LlmOptions(
        models=[
            *([] if server is None else (own_model_view(each, server) for each in server.models)),
            *(
                model_view(row, catalogue, keys, prices)
                for row in models
                if server is None or row.provider != OPENAI_COMPATIBLE
            ),
        ],
        voices=[voice_view(row, keys) for row in voices],
    )


@router.get("/agents/voices")
async def list_voices(
    _caller: MemberCaller,
    session: TenantSession,
    keys: TenantKeys,
    provider: _Text = None,
    language: Annotated[
        LanguageTag | None, Query(description="Only voices that speak this locale.")
    ] = None,
    gender: Gender | None = None,
    model: Annotated[
        str | None, Query(max_length=200, description="Only voices of this model.")
    ] = None,
) -> VoiceList:
    """List the voices offered, best first within a provider."""
    voices = await repository.list_voices(
        session, provider=provider, language=language, gender=gender, model=model
    )
    return VoiceList(voices=[voice_view(row, keys) for row in voices])


@router.get("/managed-skus")
async def list_managed_skus(
    _caller: MemberCaller, session: TenantSession, keys: TenantKeys
) -> SkuList:
    """List the managed SKUs: complete stacks, each at one price per minute."""
    catalogue = await repository.stack_catalogue(session)
    prices = await price_repository.prices_at(session)
    skus = await repository.list_skus(session)
    return SkuList(skus=[sku_view(row, catalogue, keys, prices) for row in skus])


@router.post("/agents/stack-preview")
async def preview_stack(
    wanted: StackPreviewRequest, _caller: MemberCaller, session: TenantSession, keys: TenantKeys
) -> StackPreview:
    """Show the stack that an agent without choices of its own would get in each language.

    Your keys count. Nothing is saved.
    """
    language = wanted.language or wanted.supported_languages[0]
    supported = tuple(dict.fromkeys(wanted.supported_languages))
    agent = AgentConfig(name="Preview", language=language, supported_languages=supported)
    catalogue = await repository.stack_catalogue(session)
    report = await asyncio.to_thread(report_stacks, agent, catalogue, keys)
    config = provider_config(agent, report)
    current = wanted.current_provider_config
    return StackPreview(
        language=language,
        supported_languages=list(supported),
        provider_config=config,
        blockers=report.blockers,
        warnings=report.notes,
        changes=[
            StackChange(language=locale, channel=channel, current=before, preview=after)
            for locale, channel, before, after in changed_choices(current, config, language)
        ]
        if current is not None
        else [],
    )

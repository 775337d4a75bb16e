"""Checking and publishing agents, and previewing their prompts."""

from __future__ import annotations

import asyncio
from uuid import UUID

from fastapi import APIRouter

from control_plane.building.agents.errors import (
    AgentNotFound,
    AgentNotPublishReady,
    PreconditionFailed,
)
from control_plane.building.agents.publishing import publication
from control_plane.building.agents.publishing.prompt_preview import prompt_preview
from control_plane.building.agents.publishing.publication_hook import OnVersionPublished
from control_plane.building.agents.publishing.report import PublishReport
from control_plane.building.agents.publishing.schemas import (
    AgentPublished,
    CompiledPrompt,
    PromptPreview,
    Publish,
    PublishCheck,
)
from control_plane.building.agents.revisions import IfMatch
from control_plane.building.agents.tenant_addresses import FaultsOfCheck
from control_plane.building.agents.unsaved import unsaved_agent
from control_plane.building.provider_keys.dependencies import TenantKeys
from control_plane.identity.authentication.dependencies import MemberCaller, TenantSession
from control_plane.identity.authentication.refusals import MEMBER_ONLY
from control_plane.identity.idempotent_requests.route import IdempotentRoute, OncePerKey
from control_plane.platform.http.openapi import problems

router = APIRouter(
    prefix="/v1/agents",
    tags=["agents"],
    responses=problems(*MEMBER_ONLY),
    route_class=IdempotentRoute,
)


@router.post("/validate-publish", responses=problems(AgentNotFound))
async def validate_publish(
    wanted: PublishCheck,
    caller: MemberCaller,
    faults: FaultsOfCheck,
    session: TenantSession,
    keys: TenantKeys,
) -> PublishReport:
    """Check whether an agent could be published. Nothing is saved.

    With ``agent_id`` the other fields are merged into the stored agent, as in an update.
    """
    return await publication.validate_publish(
        session,
        caller,
        wanted.agent_id,
        wanted.agent_fields,
        faults,
        keys,
        accepts_limited=wanted.accept_limited,
    )


@router.post("/compile-prompt", responses=problems(AgentNotFound))
async def compile_prompt(
    wanted: PromptPreview, caller: MemberCaller, session: TenantSession
) -> CompiledPrompt:
    """Preview the prompt and the opener, with variables filled in. Nothing is saved.

    The request succeeds even if a text is broken; ``errors`` lists its field and line.
    """
    config, pages = await unsaved_agent(session, caller, wanted.agent_id, wanted.agent_fields)
    return await asyncio.to_thread(prompt_preview, config, wanted.variables, pages)


@router.post(
    "/{agent_id}/publish",
    responses=problems(AgentNotFound, AgentNotPublishReady, PreconditionFailed),
)
async def publish_agent(
    agent_id: UUID,
    caller: MemberCaller,
    session: TenantSession,
    keys: TenantKeys,
    on_version_published: OnVersionPublished,
    _: OncePerKey,
    wanted: Publish | None = None,
    if_match: IfMatch = None,
) -> AgentPublished:
    """Freeze the agent into its next version, which new calls run.

    If anything prevents that, nothing changes, and the answer is 409 with the report of
    validate-publish.
    """
    version, warnings = await publication.publish_agent(
        session,
        caller,
        agent_id,
        keys,
        if_match=if_match,
        accepts_limited=wanted is not None and wanted.accept_limited,
    )
    await on_version_published(session, version)
    return AgentPublished(
        id=version.agent_id,
        version=version.version,
        published_at=version.published_at,
        warnings=warnings,
    )

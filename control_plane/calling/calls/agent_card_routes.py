"""``/v1/agents/{agent_id}/card``: what a page shows before it calls an agent."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Depends
from pydantic import BaseModel, Field

from control_plane.building.agents.errors import AgentNotFound, AgentNotPublishReady
from control_plane.calling.calls.creating import repository
from control_plane.calling.calls.creating.admission import check_web_scope
from control_plane.calling.calls.creating.planning import AppPlanSources, callable_version
from control_plane.calling.calls.errors import KeyScopeViolation
from control_plane.calling.pauses.errors import AgentAdminPaused, PlatformCallsDisabled
from control_plane.identity.authentication.dependencies import AnyCaller, TenantSession
from control_plane.identity.authentication.errors import OriginNotAllowed
from control_plane.platform.http.openapi import AUTHENTICATED, problems
from control_plane.platform.tenancy.caller import Caller

router = APIRouter(prefix="/v1/agents", tags=["agents"])


class AgentCard(BaseModel):
    """The published version of an agent, to those who may call it."""

    id: UUID
    name: str
    language: str
    languages: list[str] = Field(description="What a call's `locale` can be.")


async def _permitted(agent_id: UUID, caller: AnyCaller) -> Caller:
    if caller.publishable is not None:
        check_web_scope(agent_id, caller.publishable)
    return caller


@router.get(
    "/{agent_id}/card",
    responses=problems(
        *AUTHENTICATED,
        OriginNotAllowed,
        KeyScopeViolation,
        PlatformCallsDisabled,
        AgentNotFound,
        AgentAdminPaused,
        AgentNotPublishReady,
    ),
)
async def get_agent_card(
    agent_id: UUID,
    caller: Annotated[Caller, Depends(_permitted)],
    session: TenantSession,
    sources: AppPlanSources,
) -> AgentCard:
    """The name and the languages of an agent that can be called now.

    A publishable key may ask for the agents that it may call. If a call would be refused, this is
    refused with the same error.
    """
    facts = await repository.creation_facts(
        session, caller.tenant_id, agent_id, None, counted=False
    )
    version, digest = callable_version(facts)
    agent = await sources.agents.version(session, caller.tenant_id, agent_id, version, digest)
    config = agent.config
    return AgentCard(
        id=agent_id, name=config.name, language=config.language, languages=list(config.languages)
    )

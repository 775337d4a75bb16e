"""``/v1/agents``."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Query, Response, status
from pydantic_core import to_json

from control_plane.building.agents import repository, service
from control_plane.building.agents.copying import OnAgentCopied
from control_plane.building.agents.deletion import OnAgentDeleted
from control_plane.building.agents.errors import (
    AgentNotFound,
    AgentOfAnotherTenant,
    PreconditionFailed,
)
from control_plane.building.agents.knowledge.saving import PagesOfChanges, PagesOfNew
from control_plane.building.agents.revisions import IfMatch, entity_tag
from control_plane.building.agents.schemas import (
    AgentCreate,
    AgentCreated,
    AgentDeleted,
    AgentList,
    AgentListItem,
    AgentUpdate,
    AgentUpdated,
    AgentView,
    DraftCreated,
)
from control_plane.building.agents.tenant_addresses import FaultsOfChanges, FaultsOfNew
from control_plane.building.agents.tenant_json_schemas import SchemasChecked
from control_plane.building.agents.tool_capabilities import ToolCapabilities, tool_capabilities
from control_plane.building.agents.views import agent_view
from control_plane.building.catalogue import repository as catalogue_repository
from control_plane.building.knowledge_sources.errors import (
    KnowledgeBytesExceeded,
    KnowledgeSourcesExceeded,
)
from control_plane.building.provider_keys.dependencies import TenantKeys
from control_plane.identity.authentication.dependencies import MemberCaller, TenantSession
from control_plane.identity.authentication.refusals import MEMBER_ONLY
from control_plane.identity.idempotent_requests.route import IdempotentRoute, OncePerKey
from control_plane.money.billing.errors import InsufficientCredits
from control_plane.platform.http.dependencies import AppDatabase, AppSettings
from control_plane.platform.http.openapi import problems
from control_plane.platform.http.paging import Offset

router = APIRouter(
    prefix="/v1/agents",
    tags=["agents"],
    responses=problems(*MEMBER_ONLY),
    route_class=IdempotentRoute,
)

_WITH_ETAG: dict[int | str, dict[str, Any]] = {
    200: {
        "headers": {
            "ETag": {
                "description": "The agent's revision, for If-Match.",
                "schema": {"type": "string", "example": '"7"'},
            }
        }
    }
}


@router.post("", status_code=status.HTTP_201_CREATED, responses=problems(InsufficientCredits))
async def create_agent(
    wanted: AgentCreate,
    caller: MemberCaller,
    faults: FaultsOfNew,
    _schemas: SchemasChecked,
    pages: PagesOfNew,
    session: TenantSession,
    keys: TenantKeys,
    settings: AppSettings,
    _: OncePerKey,
) -> AgentCreated:
    """Save a new agent. Publish it before you call it.

    Each language needs a full stack of speech-to-text, language and text-to-speech models that you
    can use now; otherwise the answer is 400. Save a draft instead if you set a provider key later.

    Web pages that ``persona.knowledgeBase`` names are fetched first. One that does not answer only
    makes validate-publish warn.
    """
    agent = await service.create_agent(session, caller, wanted.root, faults, keys, settings, pages)
    return AgentCreated(id=agent.id)


@router.post("/draft", status_code=status.HTTP_201_CREATED, responses=problems(InsufficientCredits))
async def create_draft(
    wanted: AgentCreate,
    caller: MemberCaller,
    faults: FaultsOfNew,
    _schemas: SchemasChecked,
    pages: PagesOfNew,
    session: TenantSession,
    keys: TenantKeys,
    settings: AppSettings,
    _: OncePerKey,
) -> DraftCreated:
    """Save a new agent that may not be able to run yet.

    The body and its checks are the same as for create, with one exception: a language that cannot
    be served now and a voice that the catalogue does not have are only warnings here. An update may
    keep them. The draft cannot be published until each language can be served.
    """
    agent, warnings = await service.create_draft(
        session, caller, wanted.root, faults, keys, settings, pages
    )
    return DraftCreated(id=agent.id, warnings=warnings)


@router.get("")
async def list_agents(
    caller: MemberCaller,
    session: TenantSession,
    limit: Annotated[int, Query(ge=1, le=500)] = 50,
    offset: Offset = 0,
) -> AgentList:
    """List agents, newest first."""
    rows, total = await repository.list_rows(session, caller.tenant_id, limit=limit, offset=offset)
    return AgentList(
        agents=[AgentListItem.model_validate(row) for row in rows],
        total=total,
        offset=offset,
        limit=limit,
    )


@router.get(
    "/{agent_id}",
    response_model=AgentView,
    responses=problems(AgentNotFound) | _WITH_ETAG,
)
async def get_agent(agent_id: UUID, caller: MemberCaller, session: TenantSession) -> Response:
    """Return the full agent, with its compiled prompt and resolved providers."""
    agent = await service.get_agent(session, caller.tenant_id, agent_id)
    return Response(
        to_json(agent_view(agent)),
        media_type="application/json",
        headers={"ETag": entity_tag(agent)},
    )


@router.put("/{agent_id}", responses=problems(AgentNotFound, PreconditionFailed) | _WITH_ETAG)
@router.patch("/{agent_id}", responses=problems(AgentNotFound, PreconditionFailed) | _WITH_ETAG)
async def update_agent(
    agent_id: UUID,
    changes: AgentUpdate,
    caller: MemberCaller,
    faults: FaultsOfChanges,
    _schemas: SchemasChecked,
    pages: PagesOfChanges,
    session: TenantSession,
    keys: TenantKeys,
    settings: AppSettings,
    response: Response,
    if_match: IfMatch = None,
) -> AgentUpdated:
    """Change some fields. PUT and PATCH both leave the other fields as they are.

    If ``persona.knowledgeBase`` is sent, the web pages that it names are fetched first, also those
    that were fetched before. Publish the agent for the changes to take effect.
    """
    agent = await service.update_agent(
        session,
        caller,
        agent_id,
        changes.root,
        keys,
        settings,
        faults=faults,
        pages=pages,
        if_match=if_match,
    )
    response.headers["ETag"] = entity_tag(agent)
    return AgentUpdated()


@router.delete("/{agent_id}", responses=problems(AgentNotFound, PreconditionFailed))
async def delete_agent(
    agent_id: UUID,
    caller: MemberCaller,
    session: TenantSession,
    on_agent_deleted: OnAgentDeleted,
    if_match: IfMatch = None,
) -> AgentDeleted:
    """Delete an agent. Running calls continue, and finished calls can still be read.

    The numbers that you registered for it are forgotten with it; nothing changes at the carrier. To
    keep one, detach it or attach another agent before. Numbers that the operator gave you stay,
    without an agent. Its knowledge sources are deleted.
    """
    await service.delete_agent(session, caller, agent_id, on_agent_deleted, if_match=if_match)
    return AgentDeleted(id=agent_id)


@router.post(
    "/{agent_id}/clone",
    status_code=status.HTTP_201_CREATED,
    responses=problems(
        *MEMBER_ONLY,
        AgentOfAnotherTenant,
        AgentNotFound,
        InsufficientCredits,
        KnowledgeSourcesExceeded,
        KnowledgeBytesExceeded,
    ),
)
async def clone_agent(
    agent_id: UUID,
    caller: MemberCaller,
    session: TenantSession,
    keys: TenantKeys,
    database: AppDatabase,
    on_agent_copied: OnAgentCopied,
    _: OncePerKey,
) -> AgentCreated:
    """Copy an agent with its secrets. The copy is not published.

    It gets copies of the agent's knowledge sources, which are `ready` a moment later and count for
    the quotas; sources that have failed are left out. Numbers, the public link and testers are not
    copied.
    """
    async with service.foreign_agent_is_forbidden(database, agent_id):
        copy = await service.clone_agent(session, caller, agent_id, keys, on_agent_copied)
    return AgentCreated(id=copy.id)


@router.get("/{agent_id}/tool-capabilities", responses=problems(AgentNotFound))
async def get_tool_capabilities(
    agent_id: UUID, caller: MemberCaller, session: TenantSession, keys: TenantKeys
) -> ToolCapabilities:
    """List the kinds of tools, and the agent's own tools, that can run on its current stack."""
    agent = await service.get_agent(session, caller.tenant_id, agent_id)
    catalogue = await catalogue_repository.stack_catalogue(session)
    return await asyncio.to_thread(tool_capabilities, agent, catalogue, keys)

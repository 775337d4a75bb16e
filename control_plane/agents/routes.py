"""``/v1/agents``."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query, status

from control_plane.agents import repository, service
from control_plane.agents.errors import AgentNotFound, AgentNotPublishReady
from control_plane.agents.schemas import (
    AgentCreate,
    AgentCreated,
    AgentList,
    AgentListItem,
    AgentPublished,
    AgentUpdate,
    AgentUpdated,
    AgentView,
)
from control_plane.authentication.dependencies import MemberCaller, TenantSession
from control_plane.http.openapi import MEMBER_ONLY, problems
from control_plane.http.paging import Offset
from control_plane.provider_keys.dependencies import TenantKeys

router = APIRouter(prefix="/v1/agents", tags=["agents"], responses=problems(*MEMBER_ONLY))


@router.post("", status_code=status.HTTP_201_CREATED)
async def create_agent(
    wanted: AgentCreate, caller: MemberCaller, session: TenantSession, keys: TenantKeys
) -> AgentCreated:
    """Save a new agent. It can be called once it is published."""
    agent = await service.create_agent(session, caller.tenant_id, wanted, keys)
    return AgentCreated(id=agent.id)


@router.get("")
async def list_agents(
    caller: MemberCaller,
    session: TenantSession,
    limit: Annotated[int, Query(ge=1, le=500)] = 50,
    offset: Offset = 0,
) -> AgentList:
    """Agents, newest first."""
    rows, total = await repository.list_rows(session, caller.tenant_id, limit=limit, offset=offset)
    return AgentList(
        agents=[AgentListItem.model_validate(row) for row in rows],
        total=total,
        offset=offset,
        limit=limit,
    )


@router.get("/{agent_id}", responses=problems(AgentNotFound))
async def get_agent(agent_id: UUID, caller: MemberCaller, session: TenantSession) -> AgentView:
    """The full agent, with its compiled prompt and resolved providers."""
    agent = await service.get_agent(session, caller.tenant_id, agent_id)
    return AgentView.model_validate(service.view(agent))


@router.put("/{agent_id}", responses=problems(AgentNotFound))
@router.patch("/{agent_id}", responses=problems(AgentNotFound))
async def update_agent(
    agent_id: UUID,
    changes: AgentUpdate,
    caller: MemberCaller,
    session: TenantSession,
    keys: TenantKeys,
) -> AgentUpdated:
    """Change some fields; both methods leave the others as they are. Publish to put it to use."""
    await service.update_agent(
        session,
        caller.tenant_id,
        agent_id,
        changes.root,
        keys,
    )
    return AgentUpdated()


@router.post("/{agent_id}/publish", responses=problems(AgentNotFound, AgentNotPublishReady))
async def publish_agent(
    agent_id: UUID, caller: MemberCaller, session: TenantSession, keys: TenantKeys
) -> AgentPublished:
    """Freeze the agent as it is; calls created from now on run this version."""
    version = await service.publish_agent(
        session,
        caller.tenant_id,
        agent_id,
        keys,
    )
    return AgentPublished(
        id=version.agent_id, version=version.version, published_at=version.published_at
    )

"""``/v1/operator/agents/{agent_id}/pause`` and ``/v1/operator/paused-agents``."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Depends, Query, status

from control_plane.building.agents.errors import AgentNotFound
from control_plane.calling.pauses import repository
from control_plane.calling.pauses.models import AgentPause
from control_plane.identity.authentication.dependencies import OperatorSession, Origin, operator
from control_plane.operator.ending_calls import request_ends, tell_workers
from control_plane.operator.schemas import Paused, PausePage, PauseView, PauseWanted
from control_plane.platform.audit.recording import OPERATOR, record_act
from control_plane.platform.http.dependencies import AppDatabase
from control_plane.platform.http.openapi import AUTHENTICATED, problems
from control_plane.platform.http.paging import Offset
from control_plane.platform.link.link import AppLink

router = APIRouter(prefix="/v1/operator", tags=["operator"], responses=problems(*AUTHENTICATED))


@router.get("/paused-agents")
async def list_paused_agents(
    session: OperatorSession,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
    offset: Offset = 0,
) -> PausePage:
    """List the paused agents, the latest pause first. They take no calls."""
    found, total = await repository.paused_agents(session, limit=limit, offset=offset)
    return PausePage(
        paused_agents=[PauseView(**_view(pause, name)) for pause, name in found],
        total=total,
        limit=limit,
        offset=offset,
    )


@router.post(
    "/agents/{agent_id}/pause",
    dependencies=[Depends(operator)],
    responses=problems(AgentNotFound),
)
async def pause_agent(
    agent_id: UUID, wanted: PauseWanted, database: AppDatabase, link: AppLink, origin: Origin
) -> Paused:
    """Pause an agent. It takes no more calls: `POST /v1/calls` answers 423 with your reason.

    Pausing it again replaces the reason. Running calls continue, unless you set
    `end_running_calls`; then they end within seconds and are billed exactly.
    """
    async with database.system_session() as session:
        agent = await repository.agent_of_any_tenant(session, agent_id)
        if agent is None:
            raise AgentNotFound
        pause = await repository.put_pause(session, agent, wanted.reason)
        ending = (
            await request_ends(session, agent.tenant_id, agent_id, datetime.now(UTC))
            if wanted.end_running_calls
            else ()
        )
        record_act(
            session,
            agent.tenant_id,
            OPERATOR,
            origin,
            "agent.admin_paused",
            target_id=agent_id,
            changes={"reason": wanted.reason, "ending_calls": len(ending)},
        )
    await tell_workers(link.redis, ending)
    return Paused(**_view(pause, agent.name), ending_calls=len(ending))


@router.delete(
    "/agents/{agent_id}/pause",
    status_code=status.HTTP_204_NO_CONTENT,
    responses=problems(AgentNotFound),
)
async def resume_agent(agent_id: UUID, session: OperatorSession, origin: Origin) -> None:
    """Let a paused agent take calls again. If it is not paused, nothing changes."""
    agent = await repository.agent_of_any_tenant(session, agent_id)
    if agent is None:
        raise AgentNotFound
    if await repository.remove_pause(session, agent_id):
        record_act(
            session, agent.tenant_id, OPERATOR, origin, "agent.admin_resumed", target_id=agent_id
        )


def _view(pause: AgentPause, agent_name: str) -> dict[str, Any]:
    return {
        "agent_id": pause.agent_id,
        "agent_name": agent_name,
        "tenant_id": pause.tenant_id,
        "reason": pause.reason,
        "paused_at": pause.paused_at,
    }

"""``/v1/agents/{agent_id}/calls``. Source: API spec, "Agents" under Endpoints."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Query
from pydantic import BaseModel, ConfigDict, Field
from sqlalchemy import Row

from contracts.call_status import CallStatus
from contracts.money import usd
from control_plane.building.agents.errors import AgentNotFound, AgentOfAnotherTenant
from control_plane.building.agents.service import foreign_agent_is_forbidden, get_agent
from control_plane.calling.calls.call_list import place_of_cursor
from control_plane.calling.calls.queries.call_counts import count_calls
from control_plane.calling.calls.queries.call_pages import CallFilter, page_of_calls
from control_plane.identity.authentication.dependencies import MemberCaller, TenantSession
from control_plane.identity.authentication.refusals import MEMBER_ONLY
from control_plane.platform.http.dependencies import AppDatabase
from control_plane.platform.http.openapi import problems
from control_plane.platform.http.paging import CallCursor, OffsetOfCalls

router = APIRouter(prefix="/v1/agents", tags=["agents"], responses=problems(*MEMBER_ONLY))


class AgentCall(BaseModel):
    """One call in the list of its agent."""

    model_config = ConfigDict(from_attributes=True)
    id: UUID
    agent_id: UUID
    status: str
    started_at: datetime | None
    ended_at: datetime | None
    bill_duration: float | None = Field(description="Connected seconds; null while the call runs.")
    total_cost: float | None = Field(description="In US dollars; null until the call is settled.")


class AgentCallList(BaseModel):
    calls: list[AgentCall]
    total: int
    offset: int
    limit: int
    agent_id: UUID


@router.get(
    "/{agent_id}/calls",
    responses=problems(*MEMBER_ONLY, AgentOfAnotherTenant, AgentNotFound),
)
async def list_agent_calls(
    agent_id: UUID,
    caller: MemberCaller,
    session: TenantSession,
    database: AppDatabase,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
    offset: OffsetOfCalls = 0,
    cursor: CallCursor = None,
    status: CallStatus | None = None,
) -> AgentCallList:
    """The agent's calls, newest first."""
    async with foreign_agent_is_forbidden(database, agent_id):
        await get_agent(session, caller.tenant_id, agent_id)
    after = await place_of_cursor(session, caller.tenant_id, cursor)
    wanted = CallFilter(tenant_id=caller.tenant_id, status=status, agent_id=agent_id, after=after)
    calls = await page_of_calls(session, wanted, limit, offset)
    return AgentCallList(
        calls=[call_row(call) for call in calls],
        total=await count_calls(session, caller.tenant_id, status, agent_id),
        offset=offset,
        limit=limit,
        agent_id=agent_id,
    )


def call_row(call: Row[Any]) -> AgentCall:
    """``call``: a row of ``LISTED_COLUMNS``."""
    return AgentCall(
        id=call.id,
        agent_id=call.agent_id,
        status=call.status,
        started_at=call.started_at,
        ended_at=call.ended_at,
        bill_duration=None if call.ended_at is None else (call.connected_ms or 0) / 1000,
        total_cost=None if call.total_cost_micros is None else usd(call.total_cost_micros),
    )

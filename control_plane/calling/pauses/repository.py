"""Every query on pauses and on the platform's switches. Writing needs a system session."""

from __future__ import annotations

from typing import NamedTuple
from uuid import UUID

from sqlalchemy import delete, func, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.building.agents.models import Agent
from control_plane.calling.pauses.models import AgentPause, PlatformSwitches


class PausedAgent(NamedTuple):
    pause: AgentPause
    name: str


async def platform_switches(session: AsyncSession, *, for_update: bool = False) -> PlatformSwitches:
    query = select(PlatformSwitches)
    if for_update:
        query = query.with_for_update().execution_options(populate_existing=True)
    return (await session.scalars(query)).one()


async def pause_of(session: AsyncSession, tenant_id: UUID, agent_id: UUID) -> AgentPause | None:
    """The pause of an agent that is not deleted."""
    found: AgentPause | None = await session.scalar(
        select(AgentPause)
        .join(Agent, Agent.id == AgentPause.agent_id)
        .where(
            AgentPause.tenant_id == tenant_id,
            AgentPause.agent_id == agent_id,
            Agent.deleted_at.is_(None),
        )
    )
    return found


async def agent_of_any_tenant(session: AsyncSession, agent_id: UUID) -> Agent | None:
    """An agent that is not deleted, locked until the transaction ends."""
    found: Agent | None = await session.scalar(
        select(Agent).where(Agent.id == agent_id, Agent.deleted_at.is_(None)).with_for_update()
    )
    return found


async def put_pause(session: AsyncSession, agent: Agent, reason: str) -> AgentPause:
    """Pause the agent, or replace the reason if it is already paused."""
    new = insert(AgentPause).values(tenant_id=agent.tenant_id, agent_id=agent.id, reason=reason)
    kept = await session.scalars(
        new.on_conflict_do_update(
            index_elements=[AgentPause.agent_id], set_={"reason": new.excluded.reason}
        ).returning(AgentPause),
        execution_options={"populate_existing": True},
    )
    return kept.one()


async def remove_pause(session: AsyncSession, agent_id: UUID) -> bool:
    """Returns whether the agent was paused."""
    removed = await session.scalars(
        delete(AgentPause).where(AgentPause.agent_id == agent_id).returning(AgentPause.agent_id)
    )
    return removed.first() is not None


async def paused_agents(
    session: AsyncSession, *, limit: int, offset: int
) -> tuple[list[PausedAgent], int]:
    """One page, latest pause first, and how many paused agents there are."""
    pauses = (
        select(AgentPause, Agent.name)
        .join(Agent, Agent.id == AgentPause.agent_id)
        .where(Agent.deleted_at.is_(None))
    )
    total = await session.scalar(select(func.count()).select_from(pauses.subquery()))
    rows = await session.execute(
        pauses.order_by(AgentPause.paused_at.desc(), AgentPause.agent_id)
        .limit(limit)
        .offset(offset)
    )
    return [PausedAgent(pause, name) for pause, name in rows], total or 0

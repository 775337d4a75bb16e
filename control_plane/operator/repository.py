"""Every query on pauses, switches and plans. Writing needs a system session."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import delete, func, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.building.agents.models import Agent
from control_plane.calling.pauses.models import AgentPause, PlatformSwitches
from control_plane.platform.tenancy.models import Plan


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
    """Held against every other change until the transaction ends."""
    found: Agent | None = await session.scalar(
        select(Agent).where(Agent.id == agent_id, Agent.deleted_at.is_(None)).with_for_update()
    )
    return found


async def put_pause(session: AsyncSession, agent: Agent, reason: str) -> AgentPause:
    """Pause the agent, or give the reason anew."""
    new = insert(AgentPause).values(tenant_id=agent.tenant_id, agent_id=agent.id, reason=reason)
    kept = await session.scalars(
        new.on_conflict_do_update(
            index_elements=[AgentPause.agent_id], set_={"reason": new.excluded.reason}
        ).returning(AgentPause),
        execution_options={"populate_existing": True},
    )
    return kept.one()


async def remove_pause(session: AsyncSession, agent_id: UUID) -> bool:
    """Whether there was one."""
    removed = await session.scalars(
        delete(AgentPause).where(AgentPause.agent_id == agent_id).returning(AgentPause.agent_id)
    )
    return removed.first() is not None


async def paused_agents(
    session: AsyncSession, *, limit: int, offset: int
) -> tuple[list[PausedAgent], int]:
    """The latest pause first, and how many there are."""
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


async def plans(session: AsyncSession) -> Sequence[Plan]:
    return (await session.scalars(select(Plan).order_by(Plan.id))).all()


async def find_plan(session: AsyncSession, plan_id: str) -> Plan | None:
    return await session.get(Plan, plan_id)


async def add_plan(session: AsyncSession, plan: Plan) -> bool:
    """``False`` if its id is taken."""
    added = await session.scalars(
        insert(Plan)
        .values(
            id=plan.id,
            display_name=plan.display_name,
            monthly_credit_micros=plan.monthly_credit_micros,
            byok_allowed=plan.byok_allowed,
        )
        .on_conflict_do_nothing()
        .returning(Plan.id)
    )
    return added.first() is not None

"""Every query on agents."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.agents.models import Agent, AgentVersion


class AgentRow(NamedTuple):
    """One row of the list, without the agent's long texts."""

    id: UUID
    name: str
    voice: str
    llm_provider: str | None
    llm_model: str | None
    agent_kind: str
    language: str
    created_at: datetime


async def find(
    session: AsyncSession, tenant_id: UUID, agent_id: UUID, *, for_update: bool = False
) -> Agent | None:
    statement = select(Agent).where(Agent.tenant_id == tenant_id, Agent.id == agent_id)
    if for_update:
        statement = statement.with_for_update()
    found: Agent | None = await session.scalar(statement)
    return found


async def find_published(
    session: AsyncSession, tenant_id: UUID, agent_id: UUID
) -> AgentVersion | None:
    """The version that calls run, or ``None`` for an agent that was never published."""
    found: AgentVersion | None = await session.scalar(
        select(AgentVersion)
        .join(Agent, Agent.id == AgentVersion.agent_id)
        .where(
            Agent.tenant_id == tenant_id,
            Agent.id == agent_id,
            AgentVersion.version == Agent.published_version,
        )
    )
    return found


async def list_rows(
    session: AsyncSession, tenant_id: UUID, *, limit: int, offset: int
) -> tuple[Sequence[AgentRow], int]:
    """One page, newest first, and how many there are."""
    of_tenant = Agent.tenant_id == tenant_id
    total = await session.scalar(select(func.count()).select_from(Agent).where(of_tenant))
    rows = await session.execute(
        select(
            Agent.id,
            Agent.name,
            Agent.config["voice"].astext,
            Agent.config["llm_provider"].astext,
            Agent.config["llm_model"].astext,
            Agent.config["agent_kind"].astext,
            Agent.config["language"].astext,
            Agent.created_at,
        )
        .where(of_tenant)
        .order_by(Agent.created_at.desc(), Agent.id)
        .limit(limit)
        .offset(offset)
    )
    return [AgentRow(*row) for row in rows], total or 0


async def existing_ids(
    session: AsyncSession, tenant_id: UUID, agent_ids: Collection[UUID]
) -> set[UUID]:
    """Which of ``agent_ids`` are agents of the tenant."""
    found = await session.scalars(
        select(Agent.id).where(Agent.tenant_id == tenant_id, Agent.id.in_(agent_ids))
    )
    return set(found)

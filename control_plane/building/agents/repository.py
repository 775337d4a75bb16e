"""Every query on agents and their versions. None of them finds a deleted agent."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import and_, cast, func, select
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.building.agents.models import Agent, AgentVersion
from control_plane.building.agents.publishing.snapshot import digest_of


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


class HandoffTarget(NamedTuple):
    name: str
    is_published: bool
    leads_to: frozenset[UUID]


async def find(
    session: AsyncSession, tenant_id: UUID, agent_id: UUID, *, for_update: bool = False
) -> Agent | None:
    """The agent; ``for_update`` locks it against other writers until the transaction ends."""
    statement = select(Agent).where(
        Agent.tenant_id == tenant_id, Agent.id == agent_id, Agent.deleted_at.is_(None)
    )
    if for_update:
        statement = statement.with_for_update().execution_options(populate_existing=True)
    found: Agent | None = await session.scalar(statement)
    return found


async def exists_for_any_tenant(system_session: AsyncSession, agent_id: UUID) -> bool:
    """Whether any tenant has the agent. Needs a session of the system's role."""
    exists = select(Agent.id).where(Agent.id == agent_id, Agent.deleted_at.is_(None))
    return await system_session.scalar(exists) is not None


async def find_published(
    session: AsyncSession, tenant_id: UUID, agent_id: UUID
) -> AgentVersion | None:
    """The version that calls run; ``None`` for an agent that has never been published."""
    found: AgentVersion | None = await session.scalar(
        select(AgentVersion)
        .join(Agent, Agent.id == AgentVersion.agent_id)
        .where(
            Agent.tenant_id == tenant_id,
            Agent.id == agent_id,
            Agent.deleted_at.is_(None),
            AgentVersion.version == Agent.published_version,
        )
    )
    return found


async def find_version(
    session: AsyncSession, tenant_id: UUID, agent_id: UUID, version: int
) -> AgentVersion | None:
    found: AgentVersion | None = await session.scalar(
        select(AgentVersion).where(
            AgentVersion.tenant_id == tenant_id,
            AgentVersion.agent_id == agent_id,
            AgentVersion.version == version,
        )
    )
    return found


async def list_versions(
    session: AsyncSession, tenant_id: UUID, agent_id: UUID, *, limit: int, offset: int
) -> tuple[Sequence[AgentVersion], int]:
    """One page, newest first, and the total number."""
    of_agent = (AgentVersion.tenant_id == tenant_id, AgentVersion.agent_id == agent_id)
    total = await session.scalar(select(func.count()).select_from(AgentVersion).where(*of_agent))
    versions = await session.scalars(
        select(AgentVersion)
        .where(*of_agent)
        .order_by(AgentVersion.version.desc())
        .limit(limit)
        .offset(offset)
    )
    return versions.all(), total or 0


async def next_version(
    session: AsyncSession, agent: Agent, snapshot: str, *, restored_from: int | None = None
) -> AgentVersion:
    """Add the agent's next version, which new calls then run.

    Args:
        agent: locked (``for_update``), so that no two versions get the same number.
        snapshot: ``Snapshot.text``.
        restored_from: the version whose snapshot this one repeats.
    """
    version = AgentVersion(
        agent_id=agent.id,
        version=(agent.published_version or 0) + 1,
        tenant_id=agent.tenant_id,
        snapshot=snapshot,
        digest=digest_of(snapshot),
        restored_from=restored_from,
    )
    session.add(version)
    agent.published_version = version.version
    await session.flush()
    return version


async def list_rows(
    session: AsyncSession, tenant_id: UUID, *, limit: int, offset: int
) -> tuple[Sequence[AgentRow], int]:
    """One page, newest first, and the total number."""
    of_tenant = (Agent.tenant_id == tenant_id, Agent.deleted_at.is_(None))
    total = await session.scalar(select(func.count()).select_from(Agent).where(*of_tenant))
    rows = await session.execute(
        select(
            Agent.id,
            Agent.name,
            Agent.voice,
            Agent.llm_provider,
            Agent.llm_model,
            Agent.agent_kind,
            Agent.language,
            Agent.created_at,
        )
        .where(*of_tenant)
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
        select(Agent.id).where(
            Agent.tenant_id == tenant_id, Agent.id.in_(agent_ids), Agent.deleted_at.is_(None)
        )
    )
    return set(found)


async def handoffs_of_published(
    session: AsyncSession, tenant_id: UUID, agent_ids: Collection[UUID]
) -> dict[UUID, HandoffTarget]:
    """Those of ``agent_ids`` that are agents of the tenant, and where their published versions hand
    over to."""
    tools = cast(AgentVersion.snapshot, JSONB)["config"]["tools"]
    rows = await session.execute(
        select(Agent.id, Agent.name, AgentVersion.version, tools)
        .outerjoin(
            AgentVersion,
            and_(
                AgentVersion.agent_id == Agent.id, AgentVersion.version == Agent.published_version
            ),
        )
        .where(Agent.tenant_id == tenant_id, Agent.id.in_(agent_ids), Agent.deleted_at.is_(None))
    )
    return {
        agent_id: HandoffTarget(
            name,
            version is not None,
            frozenset(UUID(tool["agent_id"]) for tool in bound or () if tool["type"] == "handoff"),
        )
        for agent_id, name, version, bound in rows
    }


async def published_configs(
    session: AsyncSession, tenant_id: UUID, agent_ids: Collection[UUID]
) -> dict[UUID, dict[str, Any]]:
    """The configurations in the published versions of those of ``agent_ids`` that have one."""
    config = cast(AgentVersion.snapshot, JSONB)["config"].label("config")
    rows = await session.execute(
        select(Agent.id, config)
        .join(
            AgentVersion,
            and_(
                AgentVersion.agent_id == Agent.id, AgentVersion.version == Agent.published_version
            ),
        )
        .where(Agent.tenant_id == tenant_id, Agent.id.in_(agent_ids), Agent.deleted_at.is_(None))
    )
    return {row.id: row.config for row in rows}


async def has_agents(session: AsyncSession, tenant_id: UUID) -> bool:
    any_agent = (
        select(Agent.id).where(Agent.tenant_id == tenant_id, Agent.deleted_at.is_(None)).limit(1)
    )
    return await session.scalar(any_agent) is not None

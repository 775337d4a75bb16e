"""Every query on knowledge sources."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import func, select, text
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import undefer

from control_plane.building.knowledge_sources.models import PERSONA, KnowledgeSource
from control_plane.platform.tenancy.models import Plan, Tenant


class Limits(NamedTuple):
    """Of a tenant's plan; ``None``: no limit. Above a soft one, only a header says so."""

    sources: int | None
    bytes: int | None
    soft_sources: int | None
    soft_bytes: int | None


class Used(NamedTuple):
    sources: int
    bytes: int


async def list_sources(
    session: AsyncSession, tenant_id: UUID, agent_id: UUID, *, with_content: bool = False
) -> Sequence[KnowledgeSource]:
    """Newest first."""
    query = (
        select(KnowledgeSource)
        .where(KnowledgeSource.tenant_id == tenant_id, KnowledgeSource.agent_id == agent_id)
        .order_by(KnowledgeSource.created_at.desc(), KnowledgeSource.id.desc())
    )
    if with_content:
        query = query.options(undefer(KnowledgeSource.content))
    return (await session.scalars(query)).all()


async def find(
    session: AsyncSession, tenant_id: UUID, source_id: UUID, *, for_update: bool = False
) -> KnowledgeSource | None:
    statement = select(KnowledgeSource).where(
        KnowledgeSource.tenant_id == tenant_id, KnowledgeSource.id == source_id
    )
    if for_update:
        statement = statement.with_for_update().execution_options(populate_existing=True)
    found: KnowledgeSource | None = await session.scalar(statement)
    return found


async def find_knowledge_base(
    session: AsyncSession, tenant_id: UUID, agent_id: UUID
) -> KnowledgeSource | None:
    """The source that is the agent's knowledge base."""
    found: KnowledgeSource | None = await session.scalar(
        select(KnowledgeSource).where(
            KnowledgeSource.tenant_id == tenant_id,
            KnowledgeSource.agent_id == agent_id,
            KnowledgeSource.kind == PERSONA,
        )
    )
    return found


async def searchable(
    session: AsyncSession, tenant_id: UUID, agent_ids: Collection[UUID]
) -> Sequence[KnowledgeSource]:
    """The sources of the agents that have passages, oldest first."""
    found = await session.scalars(
        select(KnowledgeSource)
        .where(
            KnowledgeSource.tenant_id == tenant_id,
            KnowledgeSource.agent_id.in_(agent_ids),
            KnowledgeSource.bundle_digest.is_not(None),
        )
        .order_by(KnowledgeSource.id)
    )
    return found.all()


async def due_pages(
    system_session: AsyncSession, now: datetime, most_of_a_tenant: int, limit: int
) -> Sequence[KnowledgeSource]:
    """Web pages of any tenant that are to be fetched again, locked: the first one of each tenant,
    then the second ones, and so on. Others skip them.

    Args:
        most_of_a_tenant: with those that wait to be fetched already, which are due as well.
    """
    is_waiting = KnowledgeSource.status == "pending"
    due = (
        select(
            KnowledgeSource.id,
            func.row_number()
            .over(
                partition_by=KnowledgeSource.tenant_id,
                order_by=(is_waiting.desc(), KnowledgeSource.refresh_at, KnowledgeSource.id),
            )
            .label("place"),
        )
        .where(KnowledgeSource.refresh_at <= now)
        .subquery()
    )
    found = await system_session.scalars(
        select(KnowledgeSource)
        .join(due, due.c.id == KnowledgeSource.id)
        .where(due.c.place <= most_of_a_tenant, ~is_waiting)
        .order_by(due.c.place, KnowledgeSource.refresh_at)
        .limit(limit)
        .with_for_update(of=KnowledgeSource, skip_locked=True)
    )
    return found.all()


async def is_deleted_later(
    system_session: AsyncSession, task_name: str, source_id: UUID, digest: str | None
) -> bool:
    """Whether another job waits that deletes the bundle, or all bundles of the source: since this
    one was added, calls have searched the bundle again."""
    found = await system_session.scalar(
        text(
            "SELECT EXISTS (SELECT FROM procrastinate_jobs"
            " WHERE status = 'todo' AND task_name = :task_name AND args->>'source_id' = :source_id"
            " AND (args->>'digest' IS NULL OR args->>'digest' = CAST(:digest AS text)))"
        ),
        {"task_name": task_name, "source_id": str(source_id), "digest": digest},
    )
    return bool(found)


async def embedded_otherwise(
    system_session: AsyncSession, model: str, after: UUID | None, limit: int
) -> Sequence[KnowledgeSource]:
    """Sources of any tenant whose passages are not embedded with ``model``, in the order of their
    ids, from behind ``after``."""
    query = (
        select(KnowledgeSource)
        .where(
            KnowledgeSource.bundle_digest.is_not(None),
            KnowledgeSource.embedding_model.is_distinct_from(model),
            # What is pending gets its new passages from its ingestion.
            KnowledgeSource.status != "pending",
        )
        .order_by(KnowledgeSource.id)
        .limit(limit)
    )
    if after is not None:
        query = query.where(KnowledgeSource.id > after)
    return (await system_session.scalars(query)).all()


async def limits(session: AsyncSession, tenant_id: UUID) -> Limits:
    row = await session.execute(
        select(
            Plan.knowledge_sources_max,
            Plan.knowledge_bytes_max,
            Plan.knowledge_sources_soft_max,
            Plan.knowledge_bytes_soft_max,
        )
        .join(Tenant, Tenant.plan_id == Plan.id)
        .where(Tenant.id == tenant_id)
    )
    return Limits(*row.one())


async def used(session: AsyncSession, tenant_id: UUID) -> Used:
    """What the tenant has added, until the transaction ends: others that count wait for it."""
    await session.execute(
        text("SELECT pg_advisory_xact_lock(hashtextextended(:tenant, 80))"),
        {"tenant": str(tenant_id)},
    )
    row = await session.execute(
        select(func.count(), func.coalesce(func.sum(KnowledgeSource.bytes), 0)).where(
            KnowledgeSource.tenant_id == tenant_id, KnowledgeSource.kind != PERSONA
        )
    )
    sources, size = row.one()
    return Used(sources, int(size))

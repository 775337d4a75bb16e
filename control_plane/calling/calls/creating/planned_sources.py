"""The knowledge sources that the agents of a new call can look up."""

from __future__ import annotations

from collections.abc import Collection
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from contracts.call_plan import PlannedSource
from control_plane.building.knowledge_sources import repository


async def planned_sources(
    session: AsyncSession, tenant_id: UUID, agent_ids: Collection[UUID]
) -> dict[UUID, tuple[PlannedSource, ...]]:
    """By agent; agents without any are left out."""
    found: dict[UUID, tuple[PlannedSource, ...]] = {}
    for source in await repository.searchable(session, tenant_id, agent_ids):
        planned = PlannedSource(
            source_id=source.id, title=source.title, digest=source.bundle_digest or ""
        )
        found[source.agent_id] = (*found.get(source.agent_id, ()), planned)
    return found

"""The knowledge sources that an agent of a new call can look up."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from contracts.call_plan import PlannedSource
from control_plane.building.knowledge_sources import repository
from control_plane.building.knowledge_sources.models import PERSONA


@dataclass(frozen=True)
class PlannedSources:
    sources: tuple[PlannedSource, ...]
    have_knowledge_base: bool
    """Whether one of them is the knowledge base of the version that the call runs."""


async def planned_sources(
    session: AsyncSession, tenant_id: UUID, agent_id: UUID, knowledge_digest: str | None
) -> PlannedSources:
    """
    Args:
        knowledge_digest: of the knowledge base of the version that the call runs. Until that one is
            ingested, it is in the prompt, and what an earlier version knew is not looked up.
    """
    found = [
        source
        for source in await repository.searchable(session, tenant_id, [agent_id])
        if source.kind != PERSONA or source.content_digest == knowledge_digest
    ]
    return PlannedSources(
        tuple(
            PlannedSource(
                source_id=source.id, title=source.title, digest=source.bundle_digest or ""
            )
            for source in found
        ),
        have_knowledge_base=any(source.kind == PERSONA for source in found),
    )

"""The knowledge sources that an agent of a new call can look up. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from uuid import UUID

from contracts.call_plan import PlannedSource
from control_plane.building.knowledge_sources.models import PERSONA, KnowledgeSource


@dataclass(frozen=True)
class PlannedSources:
    sources: tuple[PlannedSource, ...]
    have_knowledge_base: bool
    """Whether one of them is the knowledge base of the version that the call runs."""


def planned_sources(
    searchable: Iterable[KnowledgeSource], agent_id: UUID, knowledge_digest: str | None
) -> PlannedSources:
    """
    Args:
        searchable: of several agents, perhaps.
        knowledge_digest: of the knowledge base of the version that the call runs. Until that one is
            ingested, it is in the prompt, and what an earlier version knew is not looked up.
    """
    found = [
        source
        for source in searchable
        if source.agent_id == agent_id
        and (source.kind != PERSONA or source.content_digest == knowledge_digest)
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

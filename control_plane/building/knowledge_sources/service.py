"""Adding, refreshing and deleting knowledge sources. Never commits."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.building.agents import repository as agents
from control_plane.building.agents.errors import AgentNotFound
from control_plane.building.knowledge_sources import repository
from control_plane.building.knowledge_sources.errors import (
    KnowledgeBytesExceeded,
    KnowledgeOfPersona,
    KnowledgeSourceNotFound,
    KnowledgeSourcesExceeded,
    KnowledgeTooLarge,
    OnlyPagesAreRefreshed,
)
from control_plane.building.knowledge_sources.models import PERSONA, KnowledgeSource
from control_plane.building.knowledge_sources.old_bundles import enqueue_deletion
from control_plane.building.knowledge_sources.schemas import (
    MOST_TEXT_BYTES,
    MOST_TITLE_BYTES,
    KnowledgeSourceCreate,
)
from control_plane.building.knowledge_sources.tasks import (
    enqueue_ingestion,
    next_refresh,
    refresh_now,
)
from control_plane.platform.audit.recording import record_change
from control_plane.platform.errors import InvalidRequest
from control_plane.platform.tenancy.caller import Caller
from control_plane.platform.time_ordered_id import time_ordered_id

_COPIED = (
    *("kind", "title", "source_uri", "format", "bytes", "content", "refresh_hours"),
    *("chunk_count", "content_digest", "embedding_model", "etag", "last_modified"),
)
"""What a copy of a source has of it from the beginning. Its bundle follows."""


@dataclass(frozen=True)
class Upload:
    filename: str
    title: str
    format: str
    content: bytes


async def add(
    session: AsyncSession, caller: Caller, agent_id: UUID, wanted: KnowledgeSourceCreate
) -> tuple[KnowledgeSource, bool]:
    """Add a text or a web page, to be ingested. Returns whether a soft quota is exceeded, too.

    Raises:
        AgentNotFound, KnowledgeTooLarge, KnowledgeSourcesExceeded, KnowledgeBytesExceeded
        InvalidRequest: the title is too long.
    """
    check_title(wanted.title)
    content = wanted.text.encode() if wanted.text is not None else None
    if content is not None and len(content) > MOST_TEXT_BYTES:
        raise KnowledgeTooLarge(f"A text may have at most {MOST_TEXT_BYTES:,} bytes of UTF-8")
    return await _added(
        session,
        caller,
        agent_id,
        kind=wanted.kind,
        title=wanted.title,
        source_uri=wanted.url,
        format="md" if content is not None else None,
        content=content,
        refresh_hours=wanted.refresh_hours,
    )


async def add_file(
    session: AsyncSession, caller: Caller, agent_id: UUID, upload: Upload
) -> tuple[KnowledgeSource, bool]:
    """As ``add``, for a file that was found to be of a kind that can be read."""
    return await _added(
        session,
        caller,
        agent_id,
        kind="file",
        title=upload.title,
        source_uri=upload.filename,
        format=upload.format,
        content=upload.content,
    )


async def refresh(
    session: AsyncSession, caller: Caller, agent_id: UUID, source_id: UUID
) -> KnowledgeSource:
    """Fetch a web page again. Until it is ingested, calls search what it had.

    Raises:
        AgentNotFound, KnowledgeSourceNotFound
        OnlyPagesAreRefreshed: the source is not a web page.
    """
    source = await get(session, caller.tenant_id, agent_id, source_id, for_update=True)
    _check_is_page(source)
    await refresh_now(session, source, datetime.now(UTC))
    return source


async def change_schedule(
    session: AsyncSession,
    caller: Caller,
    agent_id: UUID,
    source_id: UUID,
    refresh_hours: int | None,
) -> KnowledgeSource:
    """Change how often a web page is fetched again; ``None``: only on request. Hours count from
    now.

    Raises:
        AgentNotFound, KnowledgeSourceNotFound
        OnlyPagesAreRefreshed: the source is not a web page.
    """
    source = await get(session, caller.tenant_id, agent_id, source_id, for_update=True)
    _check_is_page(source)
    before, source.refresh_hours = source.refresh_hours, refresh_hours
    # What waits to be fetched keeps its place; the hours count from its end.
    if source.status != "pending":
        source.refresh_at = next_refresh(source, datetime.now(UTC))
    record_change(
        session,
        caller,
        "knowledge_source.changed",
        target_id=source_id,
        changes={"refresh_hours": [before, refresh_hours]},
    )
    return source


async def delete(session: AsyncSession, caller: Caller, agent_id: UUID, source_id: UUID) -> None:
    """Calls that run or wait keep what they have; no later one has it.

    Raises:
        AgentNotFound, KnowledgeSourceNotFound
        KnowledgeOfPersona: publishing the agent decides about this source.
    """
    source = await get(session, caller.tenant_id, agent_id, source_id, for_update=True)
    if source.kind == PERSONA:
        raise KnowledgeOfPersona("Change persona.knowledgeBase, and publish the agent")
    await remove(session, source)
    record_change(session, caller, "knowledge_source.deleted", target_id=source_id)


async def delete_all(session: AsyncSession, tenant_id: UUID, agent_id: UUID) -> None:
    """Delete the sources of an agent that is deleted. Implements ``AgentDeleted``."""
    for source in await repository.list_sources(session, tenant_id, agent_id):
        await remove(session, source)


async def copy_all(session: AsyncSession, tenant_id: UUID, agent_id: UUID, copy_id: UUID) -> None:
    """Give the copy of an agent copies of its sources. Implements ``AgentCopied``.

    A text or a file is not kept once it is ingested, so a copy gets the passages that the source
    has. One that has none yet is ingested itself.

    Raises:
        KnowledgeSourcesExceeded, KnowledgeBytesExceeded
    """
    found = await repository.list_sources(session, tenant_id, agent_id, with_content=True)
    sources = [
        source
        for source in reversed(found)
        # Publishing the copy decides about the knowledge base of its persona.
        if source.kind != PERSONA and not (source.status == "failed" and not source.bundle_digest)
    ]
    if not sources:
        return
    await _check_quota(session, tenant_id, sum(source.bytes for source in sources), len(sources))
    copies = [
        KnowledgeSource(
            id=time_ordered_id(datetime.now(UTC)),
            tenant_id=tenant_id,
            agent_id=copy_id,
            **{name: getattr(source, name) for name in _COPIED},
        )
        for source in sources
    ]
    session.add_all(copies)
    await session.flush()
    for source, copied in zip(sources, copies, strict=True):
        await enqueue_ingestion(session, copied, copy_of=source)


async def insert(session: AsyncSession, source: KnowledgeSource) -> None:
    """Have a new source ingested."""
    session.add(source)
    await session.flush()
    await session.refresh(source)
    await enqueue_ingestion(session, source)


async def remove(session: AsyncSession, source: KnowledgeSource) -> None:
    """Delete a source now, and its bundles when no call can look them up any more."""
    await session.delete(source)
    await session.flush()
    await enqueue_deletion(session, source.tenant_id, source.id, None)


async def get(
    session: AsyncSession,
    tenant_id: UUID,
    agent_id: UUID,
    source_id: UUID,
    *,
    for_update: bool = False,
) -> KnowledgeSource:
    """
    Raises:
        AgentNotFound: the tenant has no such agent.
        KnowledgeSourceNotFound: the agent has no such source.
    """
    await check_agent(session, tenant_id, agent_id)
    source = await repository.find(session, tenant_id, source_id, for_update=for_update)
    if source is None or source.agent_id != agent_id:
        raise KnowledgeSourceNotFound
    return source


async def check_agent(session: AsyncSession, tenant_id: UUID, agent_id: UUID) -> None:
    """Raises ``AgentNotFound``."""
    if not await agents.existing_ids(session, tenant_id, [agent_id]):
        raise AgentNotFound


def _check_is_page(source: KnowledgeSource) -> None:
    if source.kind == PERSONA:
        raise OnlyPagesAreRefreshed(
            "The pages of a knowledge base are fetched when persona.knowledgeBase is saved"
        )
    if source.kind != "url":
        raise OnlyPagesAreRefreshed(
            f"The source is a {source.kind}; delete it and send the new one instead"
        )


def check_title(title: str) -> None:
    """Raises ``InvalidRequest``."""
    if len(title.encode()) > MOST_TITLE_BYTES:
        raise InvalidRequest.at("title", f"must have at most {MOST_TITLE_BYTES} bytes of UTF-8")


async def _added(
    session: AsyncSession,
    caller: Caller,
    agent_id: UUID,
    *,
    kind: str,
    title: str,
    source_uri: str | None,
    format: str | None,
    content: bytes | None,
    refresh_hours: int | None = None,
) -> tuple[KnowledgeSource, bool]:
    # Locked, so that it cannot be deleted before it has the source.
    if await agents.find(session, caller.tenant_id, agent_id, for_update=True) is None:
        raise AgentNotFound
    size = len(content or b"")
    is_above_soft = await _check_quota(session, caller.tenant_id, size)
    source = KnowledgeSource(
        id=time_ordered_id(datetime.now(UTC)),
        tenant_id=caller.tenant_id,
        agent_id=agent_id,
        kind=kind,
        title=title,
        source_uri=source_uri,
        format=format,
        bytes=size,
        content=content,
        refresh_hours=refresh_hours,
    )
    await insert(session, source)
    record_change(
        session, caller, "knowledge_source.added", target_id=source.id, changes={"kind": kind}
    )
    return source, is_above_soft


async def _check_quota(
    session: AsyncSession, tenant_id: UUID, size: int, more_sources: int = 1
) -> bool:
    """Whether a soft limit is exceeded with more sources, which have ``size`` bytes together.

    Raises:
        KnowledgeSourcesExceeded, KnowledgeBytesExceeded: a hard one would be.
    """
    limits = await repository.limits(session, tenant_id)
    if limits == repository.Limits(None, None, None, None):
        return False
    used = await repository.used(session, tenant_id)
    sources, total = used.sources + more_sources, used.bytes + size
    if limits.sources is not None and sources > limits.sources:
        raise KnowledgeSourcesExceeded(
            f"Your plan allows {limits.sources} sources; delete others first",
            limit=limits.sources,
            used=used.sources,
        )
    if limits.bytes is not None and total > limits.bytes:
        raise KnowledgeBytesExceeded(
            f"Your plan allows {limits.bytes:,} bytes, and this adds {size:,}; delete others first",
            limit=limits.bytes,
            used=used.bytes,
        )
    return (limits.soft_sources is not None and sources > limits.soft_sources) or (
        limits.soft_bytes is not None and total > limits.soft_bytes
    )

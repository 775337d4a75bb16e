"""Searching an agent's sources outside of calls, in the same way as workers do in calls."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, TypeVar
from uuid import UUID

import structlog

from control_plane.building.knowledge_sources.bundle_store import (
    open_store,
    read_bundle,
    store_errors,
)
from control_plane.building.knowledge_sources.errors import KnowledgeUnavailable
from control_plane.building.knowledge_sources.models import KnowledgeSource
from control_plane.building.knowledge_sources.schemas import Chunk, FoundChunk
from knowledge.embedding.embedder import Embedder
from knowledge.embedding.model import EmbeddingUnavailable

if TYPE_CHECKING:
    from knowledge.bundle import Bundle

T = TypeVar("T")
_BUNDLES_KEPT = 16
"""In the memory of a process, of all tenants."""
_log = structlog.get_logger(__name__)


async def chunks_of(url: str, source: KnowledgeSource, offset: int, limit: int) -> list[Chunk]:
    """Raises ``KnowledgeUnavailable``."""
    digest = source.bundle_digest
    if digest is None:
        return []

    def read() -> list[Chunk]:
        bundle = _bundle(url, source.tenant_id, source.id, digest)
        rows = range(offset, min(offset + limit, len(bundle)))
        passages = (bundle.passage(row) for row in rows)
        return [Chunk(context=passage.context, text=passage.text) for passage in passages]

    return await _reading(read)


async def found_in(
    url: str, embedder: Embedder, sources: Sequence[KnowledgeSource], question: str, limit: int
) -> list[FoundChunk]:
    """Raises ``KnowledgeUnavailable``."""
    if not sources:
        return []
    named = [(each.tenant_id, each.id, each.title, each.bundle_digest or "") for each in sources]

    def look_up() -> list[FoundChunk]:
        from knowledge.search.library import Library, Source

        library = Library(
            [
                Source(str(source_id), title, _bundle(url, tenant_id, source_id, digest))
                for tenant_id, source_id, title, digest in named
            ]
        )
        embedder.prepare(library.models)
        vectors = embedder.vectors(question, library.models)
        return [
            FoundChunk(
                context=found.passage.context,
                text=found.passage.text,
                source_id=UUID(found.source_id),
                source_title=found.source_title,
                score=round(found.score, 6),
                similarity=round(found.similarity, 4),
                word_score=round(found.word_score, 4),
            )
            for found in library.search(question, vectors, limit)
        ]

    return await _reading(look_up)


async def _reading(read: Callable[[], T]) -> T:
    from knowledge.bundle import BundleDamaged

    failures: tuple[type[Exception], ...] = (
        *store_errors(),
        BundleDamaged,
        EmbeddingUnavailable,
    )
    try:
        return await asyncio.to_thread(read)
    except failures as error:
        _log.warning("knowledge_not_read", error=str(error))
        raise KnowledgeUnavailable from error


@lru_cache(_BUNDLES_KEPT)
def _bundle(url: str, tenant_id: UUID, source_id: UUID, digest: str) -> Bundle:
    return read_bundle(open_store(url), tenant_id, source_id, digest)

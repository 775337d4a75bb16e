"""Reading an agent's sources outside of calls, in the same way as workers do in calls."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar
from uuid import UUID

import structlog

from control_plane.building.knowledge_sources.bundle_store import (
    bundle_parts,
    store_errors,
)
from control_plane.building.knowledge_sources.errors import KnowledgeUnavailable
from control_plane.building.knowledge_sources.lookup_threads import LookupThreads
from control_plane.building.knowledge_sources.models import KnowledgeSource
from control_plane.building.knowledge_sources.schemas import Chunk, FoundChunk
from knowledge.copies import BundleCopies
from knowledge.embedding.embedder import Embedder
from knowledge.embedding.model import EmbeddingUnavailable
from knowledge.object_store import open_prompt_store

if TYPE_CHECKING:
    from knowledge.bundle import Bundle

SILENCE_SECONDS = 4.0
"""After which the object store is not waited for any longer: others wait for the thread."""
T = TypeVar("T")
_log = structlog.get_logger(__name__)


class Knowledge:
    """What this process reads of all tenants' sources. It keeps copies on the disk, and maps those
    that a request needs. Use it without a database session: it may take seconds.

    Args:
        object_store_url: where the bundles are.
        folder: of the copies.
    """

    def __init__(
        self,
        object_store_url: str,
        folder: Path,
        threads: Callable[[], LookupThreads] = LookupThreads,
    ) -> None:
        self._url = object_store_url
        self._copies = BundleCopies(folder)
        self._threads = threads()
        # What has to be fetched takes no thread from what is here: the store may hang.
        self._fetching = threads()

    async def chunks_of(self, source: KnowledgeSource, offset: int, limit: int) -> list[Chunk]:
        """Raises ``KnowledgeUnavailable``, ``KnowledgeShareUsedUp``, ``KnowledgeTooSlow``."""
        if source.bundle_digest is None:
            return []

        def read(until: float) -> list[Chunk]:
            bundle = self._bundle(source, until)
            rows = range(offset, min(offset + limit, len(bundle)))
            passages = (bundle.passage(row) for row in rows)
            return [Chunk(context=passage.context, text=passage.text) for passage in passages]

        return await self._read([source], read)

    async def found_in(
        self, embedder: Embedder, sources: Sequence[KnowledgeSource], question: str, limit: int
    ) -> list[FoundChunk]:
        """Of one tenant's ``sources``.

        Raises ``KnowledgeUnavailable``, ``KnowledgeShareUsedUp``, ``KnowledgeTooSlow``."""
        if not sources:
            return []

        def look_up(until: float) -> list[FoundChunk]:
            from knowledge.search.library import Library, Source

            library = Library(
                [Source(str(each.id), each.title, self._bundle(each, until)) for each in sources]
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

        return await self._read(sources, look_up)

    def close(self) -> None:
        self._threads.close()
        self._fetching.close()

    async def _read(self, sources: Sequence[KnowledgeSource], read: Callable[[float], T]) -> T:
        from knowledge.bundle import BundleDamaged

        failures: tuple[type[Exception], ...] = (
            *store_errors(),
            BundleDamaged,
            EmbeddingUnavailable,
        )
        try:
            is_here = await asyncio.to_thread(self._are_here, sources)
            threads = self._threads if is_here else self._fetching
            return await threads.run(sources[0].tenant_id, read)
        except failures as error:
            _log.warning("knowledge_not_read", error=str(error))
            raise KnowledgeUnavailable from error

    def _are_here(self, sources: Sequence[KnowledgeSource]) -> bool:
        return all(self._copies.has(each.bundle_digest or "") for each in sources)

    def _bundle(self, source: KnowledgeSource, until: float) -> Bundle:
        digest = source.bundle_digest or ""

        def fetch() -> Iterable[bytes]:
            store = open_prompt_store(self._url, SILENCE_SECONDS)
            return bundle_parts(store, source.tenant_id, source.id, digest)

        return self._copies.mapped(digest, fetch, until)

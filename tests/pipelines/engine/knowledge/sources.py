"""Knowledge sources for tests, in an object store that is a folder."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from uuid import UUID, uuid4

from contracts.call_plan import PlannedSource
from contracts.knowledge_bundles import bundle_path
from knowledge.bundle import Bundle, digest_of, packed
from knowledge.embedding.embedder import Embedder, EmbeddingSettings
from knowledge.embedding.minilm import local_model
from knowledge.passages import Passage
from knowledge.search.library import Library, Source
from pipelines.engine.knowledge.lookup import Lookup
from tests.pipelines.engine.actions import NotedActions

WIFI = "The password of the guest network is bluebird."


def packed_texts(*texts: str) -> bytes:
    passages = [Passage("Guide", text) for text in texts]
    vectors = local_model().embed([passage.searched for passage in passages])
    return packed(passages, vectors, local_model().model)


def stored(store: Path, tenant_id: UUID, *texts: str) -> PlannedSource:
    content = packed_texts(*texts)
    source = PlannedSource(source_id=uuid4(), title="Guide", digest=digest_of(content))
    file = store / bundle_path(tenant_id, source.source_id, source.digest)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(content)
    return source


def lookup(
    actions: NotedActions, *texts: str, embedder: Embedder | None = None, threads: int = 1
) -> Lookup:
    library = Library([Source("a", "Guide", Bundle(packed_texts(*texts)))])
    embedder = embedder or Embedder(EmbeddingSettings())
    return Lookup(library, ThreadPoolExecutor(threads), actions, embedder)

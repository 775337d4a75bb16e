"""The bundles that this worker's calls search: fetched once, kept on disk, memory-mapped."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from uuid import UUID

import structlog
from cachetools import LRUCache

from contracts.call_plan import CallPlan, PlannedSource
from contracts.knowledge_bundles import bundle_path
from knowledge.bundle import Bundle, BundleDamaged
from knowledge.copies import BundleCopies
from knowledge.embedding.embedder import Embedder
from knowledge.embedding.model import EmbeddingUnavailable
from knowledge.search.library import Library, Source
from pipelines.engine.knowledge.bundle_downloads import BundleDownloads

REMOTE_QUESTIONS_AT_ONCE = 16
FETCHES_AT_ONCE = 4
FETCH_SECONDS = 4.0
"""For all bundles of a call together. It begins without those that take longer."""
PAUSE_SECONDS = 15.0
"""For which nothing is asked of a store that is silent: calls would begin late for what they do not
get."""
MOST_MAPPED = 256
logger = structlog.get_logger(__name__)


class Shelf:
    """
    Args:
        object_store_url: where the control plane puts bundles.
        folder: of the copies on this machine, which its workers share.
        embedder: embeds what callers ask.
    """

    def __init__(self, object_store_url: str, folder: Path, embedder: Embedder) -> None:
        self.embedder = embedder
        self._copies = BundleCopies(folder)
        self._downloads = BundleDownloads(object_store_url)
        self._mapped: LRUCache[str, Bundle] = LRUCache(MOST_MAPPED)
        self._no_fetch_before = 0.0
        # Apart from the threads in which callers are let in: a store that hangs takes all of these.
        self._fetching = ThreadPoolExecutor(FETCHES_AT_ONCE, thread_name_prefix="knowledge-fetch")
        # One thread if the model takes a core; searching itself is short.
        threads = REMOTE_QUESTIONS_AT_ONCE if embedder.is_remote else 1
        self.searching = ThreadPoolExecutor(threads, thread_name_prefix="knowledge-search")

    async def fetch(self, plan: CallPlan) -> None:
        """Have the bundles of the plan's agents mapped, and the model loaded. What cannot be
        fetched is left out of the call, and logged. Await it before the session is built."""
        sources = {each.digest: each for agent in plan.agents.values() for each in agent.knowledge}
        if not sources:
            return
        loop = asyncio.get_running_loop()
        ends_at = loop.time() + FETCH_SECONDS
        for digest, source in sources.items():
            if digest in self._mapped:
                continue
            with _logging(plan.call_id):
                self._mapped[digest] = await self._bundle(plan.tenant_id, source, ends_at)
        models = {self._mapped[digest].model for digest in sources if digest in self._mapped}
        with _logging(plan.call_id):
            async with asyncio.timeout_at(ends_at):
                await loop.run_in_executor(self.searching, self.embedder.prepare, models)

    def library(self, sources: tuple[PlannedSource, ...]) -> Library | None:
        """Those of ``sources`` that are here; ``None`` if there are none."""
        here = [
            Source(str(each.source_id), each.title, self._mapped[each.digest])
            for each in sources
            if each.digest in self._mapped
        ]
        return Library(here) if here else None

    def close(self) -> None:
        self._fetching.shutdown(wait=False, cancel_futures=True)
        self.searching.shutdown(wait=False, cancel_futures=True)

    async def _bundle(self, tenant_id: UUID, source: PlannedSource, ends_at: float) -> Bundle:
        """Raises ``TimeoutError``, ``OSError``, ``BundleDamaged``."""
        loop = asyncio.get_running_loop()
        is_paused = loop.time() < self._no_fetch_before
        until = loop.time() if is_paused else ends_at
        try:
            async with asyncio.timeout_at(ends_at):
                return await loop.run_in_executor(
                    self._fetching, self._read, tenant_id, source, until
                )
        except TimeoutError:
            # What is only slow, or waits for its turn, says nothing about other tenants' bundles.
            if not is_paused and self._downloads.are_silent_since(ends_at - FETCH_SECONDS):
                self._no_fetch_before = loop.time() + PAUSE_SECONDS
            raise

    def _read(self, tenant_id: UUID, source: PlannedSource, until: float) -> Bundle:
        path = bundle_path(tenant_id, source.source_id, source.digest)
        return self._copies.mapped(source.digest, lambda: self._downloads.parts(path), until)


@contextmanager
def _logging(call_id: UUID) -> Iterator[None]:
    """The call goes on without what cannot be had."""
    try:
        yield
    except (OSError, TimeoutError, ValueError, BundleDamaged, EmbeddingUnavailable) as error:
        logger.warning(
            "knowledge.not_fetched", call_id=str(call_id), error=f"{type(error).__name__}: {error}"
        )

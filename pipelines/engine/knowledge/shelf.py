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
SILENCE_SECONDS = FETCH_SECONDS + 1
"""After which a download gives its thread back. Calls notice the silence before."""
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
        self._downloads = BundleDownloads(object_store_url, SILENCE_SECONDS)
        self._mapped: LRUCache[str, Bundle] = LRUCache(MOST_MAPPED)
        self._no_fetch_before = 0.0
        # Apart from the threads in which callers are let in and copies opened: a store that hangs
        # takes all of these.
        self._fetching = ThreadPoolExecutor(FETCHES_AT_ONCE, thread_name_prefix="knowledge-fetch")
        self._opening = ThreadPoolExecutor(1, thread_name_prefix="knowledge-open")
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
        # First what is here: what is not may take all the time.
        for digest in sources:
            with _logging(plan.call_id):
                await self._open(digest, ends_at)
        for source in sources.values():
            with _logging(plan.call_id):
                await self._fetch(plan.tenant_id, source, ends_at)
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
        for threads in (self._fetching, self._opening, self.searching):
            threads.shutdown(wait=False, cancel_futures=True)

    async def _open(self, digest: str, ends_at: float) -> None:
        """Have a bundle mapped if its copy is here. Raises ``TimeoutError``, ``OSError``."""
        if digest in self._mapped:
            return
        loop = asyncio.get_running_loop()
        async with asyncio.timeout_at(ends_at):
            copy = await loop.run_in_executor(self._opening, self._copies.opened, digest)
        if copy is not None:
            self._mapped[digest] = copy

    async def _fetch(self, tenant_id: UUID, source: PlannedSource, ends_at: float) -> None:
        """Have a bundle mapped that is not here. Raises ``TimeoutError``, ``OSError``,
        ``BundleDamaged``."""
        if source.digest in self._mapped:
            return
        loop = asyncio.get_running_loop()
        if loop.time() < self._no_fetch_before:
            raise TimeoutError("the object store was silent a moment ago")
        try:
            async with asyncio.timeout_at(ends_at):
                self._mapped[source.digest] = await loop.run_in_executor(
                    self._fetching, self._read, tenant_id, source, ends_at
                )
        except TimeoutError:
            # What is only slow, or waits for its turn, says nothing about other tenants' bundles.
            if self._downloads.are_silent_since(ends_at - FETCH_SECONDS):
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

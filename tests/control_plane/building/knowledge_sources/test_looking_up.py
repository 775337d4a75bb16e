"""Searching sources outside of calls: what is read, from where, and beside what."""

from __future__ import annotations

import asyncio
import mmap
from collections.abc import Iterator
from pathlib import Path
from threading import Event, Semaphore
from typing import Any
from uuid import UUID, uuid4

import numpy as np
import obstore
import pytest
from fastapi import FastAPI

from contracts.knowledge_bundles import bundle_path
from control_plane.building.knowledge_sources import looking_up
from control_plane.building.knowledge_sources.errors import KnowledgeTooSlow, KnowledgeUnavailable
from control_plane.building.knowledge_sources.looking_up import Knowledge
from control_plane.building.knowledge_sources.lookup_threads import AT_ONCE, LookupThreads
from control_plane.building.knowledge_sources.models import KnowledgeSource
from knowledge.bundle import Bundle, digest_of, packed
from knowledge.embedding.embedder import Embedder, EmbeddingSettings
from knowledge.embedding.minilm import MODEL
from knowledge.passages import Passage
from tests.control_plane.building.knowledge_sources.ingesting import Sources
from tests.stand_ins.silent_bucket import URL, silent_bucket

EMBEDDER = Embedder(EmbeddingSettings())
MANY = 20
WAIT_SECONDS = 60
TENANT = uuid4()


def stored(store: Path, text: str, tenant_id: UUID = TENANT) -> KnowledgeSource:
    content = packed([Passage("Guide", text)], np.eye(1, 384, dtype=np.float32), MODEL)
    source = KnowledgeSource(
        id=uuid4(), tenant_id=tenant_id, title="Guide", bundle_digest=digest_of(content)
    )
    file = store / bundle_path(tenant_id, source.id, digest_of(content))
    file.parent.mkdir(parents=True)
    file.write_bytes(content)
    return source


def names_in(folder: Path) -> set[str]:
    return {file.name for file in folder.iterdir()} if folder.exists() else set()


def empty(store: Path) -> None:
    for file in store.rglob("*"):
        if file.is_file():
            file.unlink()


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "store"


@pytest.fixture
def copies(tmp_path: Path) -> Path:
    return tmp_path / "copies"


@pytest.fixture
def knowledge(store: Path, copies: Path) -> Iterator[Knowledge]:
    knowledge = Knowledge(store.as_uri(), copies)
    yield knowledge
    knowledge.close()


async def test_however_many_sources_an_agent_has_each_is_fetched_once(
    knowledge: Knowledge, store: Path, copies: Path
) -> None:
    sources = [stored(store, f"The code of room {at} is bluebird.") for at in range(MANY)]
    first = await knowledge.found_in(EMBEDDER, sources, "bluebird", MANY)
    assert {found.source_id for found in first} == {source.id for source in sources}
    assert names_in(copies) == {each.bundle_digest for each in sources}
    empty(store)
    assert await knowledge.found_in(EMBEDDER, sources, "bluebird", MANY) == first


async def test_bundles_are_mapped_and_not_held_in_memory(
    knowledge: Knowledge, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[Any] = []
    init = Bundle.__init__
    monkeypatch.setattr(
        Bundle, "__init__", lambda self, content: (opened.append(content), init(self, content))[1]
    )
    source = stored(store, "Breakfast is served from seven to ten.")
    await knowledge.found_in(EMBEDDER, [source], "breakfast", 1)
    await knowledge.chunks_of(source, 0, 1)
    assert [type(content) for content in opened] == [mmap.mmap] * 2


async def test_what_the_store_does_not_have_is_unavailable(
    knowledge: Knowledge, store: Path
) -> None:
    source = stored(store, "Breakfast.")
    empty(store)
    with pytest.raises(KnowledgeUnavailable):
        await knowledge.found_in(EMBEDDER, [source], "breakfast", 1)


async def test_a_search_that_has_no_time_left_fetches_nothing_more(
    store: Path, copies: Path
) -> None:
    class NoTimeLeft(LookupThreads):
        async def run(self, tenant_id: Any, read: Any) -> Any:
            return await super().run(tenant_id, lambda _until: read(0.0))

    knowledge = Knowledge(store.as_uri(), copies, NoTimeLeft)
    with pytest.raises(KnowledgeTooSlow):
        await knowledge.found_in(EMBEDDER, [stored(store, "Breakfast.")], "breakfast", 1)
    assert names_in(copies) == set()
    knowledge.close()


async def test_what_is_here_is_searched_while_fetching_hangs(
    knowledge: Knowledge, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many other tenants' bundles are being fetched."""
    kept = stored(store, "Breakfast.")
    await knowledge.chunks_of(kept, 0, 1)
    missing = [stored(store, f"Room {at}.", uuid4()) for at in range(AT_ONCE + 1)]
    get, asked, goes_on = obstore.get, Semaphore(0), Event()

    def hang(*wanted: Any) -> Any:
        asked.release()
        goes_on.wait(WAIT_SECONDS)
        return get(*wanted)

    monkeypatch.setattr(obstore, "get", hang)
    fetching = [asyncio.create_task(knowledge.chunks_of(each, 0, 1)) for each in missing]
    for _ in range(AT_ONCE):
        await asyncio.to_thread(asked.acquire)
    try:
        assert await knowledge.found_in(EMBEDDER, [kept], "breakfast", 1)
    finally:
        goes_on.set()
        await asyncio.gather(*fetching)


async def test_a_store_that_hangs_is_not_waited_for_long(
    copies: Path, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(looking_up, "SILENCE_SECONDS", 0.2)
    knowledge = Knowledge(URL, copies)
    with silent_bucket(monkeypatch), pytest.raises(KnowledgeUnavailable):
        await knowledge.chunks_of(stored(store, "Breakfast."), 0, 1)
    knowledge.close()


async def test_no_database_connection_is_held_while_bundles_are_read(
    app: FastAPI, sources: Sources, monkeypatch: pytest.MonkeyPatch
) -> None:
    held: list[int] = []

    async def note(*_: object) -> list[Any]:
        held.append(app.state.database._app.pool.checkedout())
        return []

    for method in ("found_in", "chunks_of"):
        monkeypatch.setattr(app.state.knowledge, method, note)
    source_id = await sources.add_text("Food", "Breakfast is served from seven to ten.")
    await sources.search("breakfast")
    await sources.get(source_id, "?chunks=true")
    assert held == [0, 0]


async def test_the_api_keeps_its_copies_where_the_settings_say(
    sources: Sources, tmp_path: Path
) -> None:
    await sources.add_text("Food", "Breakfast is served from seven to ten.")
    assert await sources.search("breakfast")
    assert len(names_in(tmp_path / "knowledge")) == 1

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Event
from typing import Any

import obstore
import pytest

from contracts.call_plan import CallPlan, PlannedSource
from knowledge.embedding.embedder import Embedder, EmbeddingSettings
from pipelines.engine.knowledge import shelf as shelf_module
from pipelines.engine.knowledge.shelf import Shelf
from tests.pipelines.engine.knowledge.sources import WIFI, stored
from tests.pipelines.plans import call_plan

EMBEDDER = Embedder(EmbeddingSettings())


async def test_a_bundle_is_fetched_once_and_kept_on_disk(tmp_path: Path) -> None:
    store, copies = tmp_path / "store", tmp_path / "copies"
    plan = call_plan()
    source = stored(store, plan.tenant_id, WIFI)
    plan = plan.model_copy(update={"knowledge": (source,)})
    shelf = Shelf(store.as_uri(), copies, EMBEDDER)
    await shelf.fetch(plan)
    library = shelf.library(plan.knowledge)
    assert library is not None
    assert library.sources[0].bundle.passage(0).text == WIFI
    for file in store.rglob(source.digest):
        file.unlink()
    again = Shelf(store.as_uri(), copies, EMBEDDER)
    await again.fetch(plan)
    assert again.library(plan.knowledge) is not None


async def test_a_call_goes_on_without_what_cannot_be_fetched(tmp_path: Path) -> None:
    store = tmp_path / "store"
    plan = call_plan()
    good, bad = stored(store, plan.tenant_id, WIFI), stored(store, plan.tenant_id, "Other.")
    for file in store.rglob(bad.digest):
        file.write_bytes(b"something else")
    plan = plan.model_copy(update={"knowledge": (good, bad)})
    shelf = Shelf(store.as_uri(), tmp_path / "copies", EMBEDDER)
    await shelf.fetch(plan)
    library = shelf.library(plan.knowledge)
    assert library is not None
    assert [each.source_id for each in library.sources] == [str(good.source_id)]


async def test_an_agent_without_sources_has_no_library(tmp_path: Path) -> None:
    shelf = Shelf((tmp_path / "store").as_uri(), tmp_path / "copies", EMBEDDER)
    await shelf.fetch(call_plan())
    assert shelf.library(()) is None


async def test_two_calls_that_begin_at_once_both_have_a_new_bundle(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each thread that fetches it meets the other, if there is another one."""
    store, fetched, both_run = tmp_path / "store", list[str](), Event()

    def get(*wanted: Any) -> Any:
        fetched.append(wanted[1])
        assert both_run.wait(60)
        return get_object(*wanted)

    get_object = obstore.get
    monkeypatch.setattr(obstore, "get", get)
    plan = call_plan()
    plan = plan.model_copy(update={"knowledge": (stored(store, plan.tenant_id, WIFI),)})
    shelf = Shelf(store.as_uri(), tmp_path / "copies", EMBEDDER)
    calls = [asyncio.create_task(shelf.fetch(plan)) for _ in range(2)]
    for _ in range(5):
        await asyncio.sleep(0)
    both_run.set()
    await asyncio.gather(*calls)
    assert shelf.library(plan.knowledge) is not None
    assert len(fetched) == 1


async def test_a_store_that_hangs_holds_up_nothing_else_and_is_left_alone_for_a_while(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, asked, goes_on = tmp_path / "store", list[str](), Event()
    threads: list[str] = []

    def get(*wanted: Any) -> Any:
        asked.append(wanted[1])
        threads.append(threading.current_thread().name)
        goes_on.wait(60)
        raise obstore.exceptions.GenericError("gone")

    monkeypatch.setattr(obstore, "get", get)
    monkeypatch.setattr(shelf_module, "FETCH_SECONDS", 0.1)
    plan = call_plan()
    texts = (f"{WIFI} {number}" for number in range(3))
    sources = [stored(store, plan.tenant_id, text) for text in texts]
    shelf = Shelf(store.as_uri(), tmp_path / "copies", EMBEDDER)
    try:
        for source in sources:
            await shelf.fetch(plan.model_copy(update={"knowledge": (source,)}))
        assert shelf.library(tuple(sources)) is None
        assert len(asked) == 1
        assert threads[0].startswith("knowledge-fetch"), "callers are let in by others"
    finally:
        goes_on.set()


class Held:
    """A store that gives the first part of what ``is_held`` and no more until it goes on."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, is_held: Callable[[str], bool]) -> None:
        self._get, self._is_held = obstore.get, is_held
        self.goes_on = Event()
        monkeypatch.setattr(obstore, "get", lambda store, path: HeldObject(self, store, path))

    def parts(self, store: Any, path: str) -> Iterator[bytes]:
        content = bytes(self._get(store, path).bytes())
        yield content[:100]
        if self._is_held(path):
            self.goes_on.wait(60)
        yield content[100:]


class HeldObject:
    def __init__(self, held: Held, store: Any, path: str) -> None:
        self.stream = lambda: held.parts(store, path)


async def test_a_bundle_that_takes_long_is_left_out_of_its_call_and_of_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, plan = tmp_path / "store", call_plan()
    quick, large, others = (stored(store, plan.tenant_id, f"{WIFI} {at}") for at in range(3))
    held = Held(monkeypatch, lambda path: path.endswith(large.digest))
    shelf = Shelf(store.as_uri(), tmp_path / "copies", EMBEDDER)
    try:
        with monkeypatch.context() as patch:
            patch.setattr(shelf_module, "FETCH_SECONDS", 0.5)
            await shelf.fetch(plan.model_copy(update={"knowledge": (quick, large)}))
        assert shelf.library((large,)) is None
        await shelf.fetch(plan.model_copy(update={"knowledge": (others,)}))
        assert shelf.library((others,)) is not None
    finally:
        held.goes_on.set()


async def test_copies_that_are_here_are_opened_at_once_while_the_store_hangs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many sources before them are missing, and in the pause, too."""
    store, plan, goes_on = tmp_path / "store", call_plan(), Event()
    texts = [f"{WIFI} {at}" for at in range(shelf_module.FETCHES_AT_ONCE + 2)]
    *missing, kept, kept_too = (stored(store, plan.tenant_id, text) for text in texts)

    def knowing(*sources: PlannedSource) -> CallPlan:
        return plan.model_copy(update={"knowledge": sources})

    def shelf() -> Shelf:
        return Shelf(store.as_uri(), tmp_path / "copies", EMBEDDER)

    def hang(*_: Any) -> Any:
        goes_on.wait(60)
        raise obstore.exceptions.GenericError("gone")

    await shelf().fetch(knowing(kept, kept_too))
    monkeypatch.setattr(obstore, "get", hang)
    monkeypatch.setattr(shelf_module, "FETCH_SECONDS", 0.5)
    hung = shelf()
    try:
        await asyncio.gather(*(hung.fetch(knowing(each)) for each in missing))
        await hung.fetch(knowing(*missing, kept))
        assert hung.library((kept,)) is not None
        monkeypatch.setattr(hung, "_no_fetch_before", 0.0)
        await hung.fetch(knowing(missing[0], kept_too))
        assert hung.library((kept_too,)) is not None
    finally:
        goes_on.set()


async def test_nobody_waits_for_a_store_that_was_silent_a_moment_ago(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, plan = tmp_path / "store", call_plan()
    source = stored(store, plan.tenant_id, WIFI)
    shelf = Shelf(store.as_uri(), tmp_path / "copies", EMBEDDER)
    monkeypatch.setattr(shelf, "_no_fetch_before", asyncio.get_running_loop().time() + 60)
    shelf._fetching.shutdown()  # Who gives it work fails.
    await shelf.fetch(plan.model_copy(update={"knowledge": (source,)}))
    assert shelf.library((source,)) is None
    assert not (tmp_path / "copies").exists()

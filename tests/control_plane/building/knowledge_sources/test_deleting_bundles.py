"""When the bundles of sources are deleted: none that a call may need, and in the end all others."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from obstore.exceptions import BaseError
from sqlalchemy import text

from contracts.call_plan import LONGEST_CALL_SECONDS
from control_plane.building.knowledge_sources import bundle_store, tasks
from control_plane.building.knowledge_sources.old_bundles import delete_old_bundles
from control_plane.calling.dialing.service import LONGEST_WAIT
from control_plane.platform.database import Database
from control_plane.platform.job_queue import (
    KNOWLEDGE_QUEUE,
    PATIENT_QUEUE,
    enqueue,
    job_queue,
    job_resources,
    worker_connector,
)
from control_plane.platform.settings import ControlPlaneSettings
from tests.control_plane.building.knowledge_sources.ingesting import Sources, files_of
from tests.stand_ins.silent_bucket import URL, silent_bucket
from tests.stand_ins.website import WebPage, Website

FIRST, SECOND = b"Breakfast is from seven to ten.", b"Breakfast is from eight to eleven."
LONGEST = LONGEST_WAIT + timedelta(seconds=LONGEST_CALL_SECONDS)


@pytest.fixture
def settings(settings: ControlPlaneSettings) -> ControlPlaneSettings:
    return settings.model_copy(update={"outbound_allowed_networks": ("127.0.0.1/32",)})


@pytest.fixture
async def site() -> AsyncIterator[Website]:
    async with Website({}).serving() as site:
        say(site, FIRST)
        yield site


def say(site: Website, words: bytes) -> None:
    site.pages = {"/": WebPage(words, "text/plain")}


async def changed(sources: Sources, site: Website, source_id: str, words: bytes) -> None:
    """The page says something else, and is fetched again."""
    say(site, words)
    answer = await sources.tenant.post(f"{sources.path}/{source_id}/refresh")
    assert answer.status_code == 202, answer.text
    await sources.ingest(source_id)


async def removed(sources: Sources, source_id: str) -> None:
    answer = await sources.tenant.request("DELETE", f"{sources.path}/{source_id}")
    assert answer.status_code == 204, answer.text


async def times_of_deletions(database: Database) -> list[datetime]:
    async with database.system_session() as session:
        found = await session.scalars(
            text(
                "SELECT scheduled_at FROM procrastinate_jobs"
                " WHERE task_name = 'knowledge.delete_bundles' ORDER BY id"
            )
        )
        return list(found)


async def test_a_bundle_outlives_each_call_whose_plan_can_name_it(
    sources: Sources, site: Website, database: Database
) -> None:
    source_id = await sources.add_page(site.base_url)
    begun = datetime.now(UTC)
    await changed(sources, site, source_id, SECOND)
    await removed(sources, source_id)
    for_the_first, for_all = await times_of_deletions(database)
    assert begun + LONGEST < for_the_first <= for_all


async def test_a_deletion_takes_only_the_bundle_that_it_is_for(
    sources: Sources, site: Website, tmp_path: Path
) -> None:
    source_id = await sources.add_page(site.base_url)
    [first] = files_of(tmp_path, source_id)
    await changed(sources, site, source_id, SECOND)
    await changed(sources, site, source_id, b"Breakfast is from nine to noon.")
    assert await sources.delete_next(source_id)
    left = files_of(tmp_path, source_id)
    assert first not in left
    assert len(left) == 2, "the second one was replaced a minute ago, and calls that wait name it"


async def test_a_page_that_has_changed_back_keeps_its_bundle(
    sources: Sources, site: Website, tmp_path: Path
) -> None:
    source_id = await sources.add_page(site.base_url)
    await changed(sources, site, source_id, SECOND)
    await changed(sources, site, source_id, FIRST)
    await sources.delete_old_bundles(source_id)
    assert len(files_of(tmp_path, source_id)) == 1
    assert FIRST.decode() in (await sources.search("breakfast"))[0]["text"]


async def test_a_bundle_that_was_searched_again_stays_as_long_as_if_it_were_new(
    sources: Sources, site: Website, tmp_path: Path
) -> None:
    source_id = await sources.add_page(site.base_url)
    [first] = files_of(tmp_path, source_id)
    for words in (SECOND, FIRST, SECOND):
        await changed(sources, site, source_id, words)
    assert await sources.delete_next(source_id)
    assert first in files_of(tmp_path, source_id), "its second deletion is due later"
    await sources.delete_old_bundles(source_id)
    assert first not in files_of(tmp_path, source_id)


async def test_a_deleted_source_leaves_no_bundle_in_the_end_and_none_before(
    sources: Sources, site: Website, tmp_path: Path
) -> None:
    source_id = await sources.add_page(site.base_url)
    for words in (SECOND, FIRST, SECOND):
        await changed(sources, site, source_id, words)
    # What a process stored that died before it could say so.
    (files_of(tmp_path, source_id)[0].parent / ("0" * 64)).write_bytes(b"")
    await removed(sources, source_id)
    for left in (3, 3, 3, 0):
        assert await sources.delete_next(source_id)
        assert len(files_of(tmp_path, source_id)) == left


async def test_a_source_that_is_deleted_while_it_is_ingested_leaves_no_bundle_in_the_end(
    sources: Sources, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make = tasks.bundle_of

    async def deleted_meanwhile(*arguments: Any) -> bytes:
        [source] = (await sources.tenant.get(sources.path)).json()["sources"]
        await removed(sources, source["id"])
        return await make(*arguments)

    monkeypatch.setattr(tasks, "bundle_of", deleted_meanwhile)
    source_id = await sources.add_text("Food", FIRST.decode())
    assert len(files_of(tmp_path, source_id)) == 1
    await sources.delete_old_bundles(source_id)
    assert files_of(tmp_path, source_id) == []


async def test_a_deletion_of_all_bundles_spares_a_source_that_exists(
    sources: Sources, database: Database, tmp_path: Path
) -> None:
    """Jobs of an earlier build name no bundle, also those of sources that were refreshed."""
    source_id = await sources.add_text("Food", FIRST.decode())
    tenant_id = sources.tenant.tenant_id
    async with database.system_session() as session:
        named = {"tenant_id": str(tenant_id), "source_id": source_id}
        await enqueue(session, delete_old_bundles, **named)
    assert await sources.delete_next(source_id)
    assert len(files_of(tmp_path, source_id)) == 1


async def test_a_deletion_ends_before_its_transaction_if_the_store_hangs(
    sources: Sources,
    site: Website,
    database: Database,
    settings: ControlPlaneSettings,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A thread that goes on could delete what is made the current bundle meanwhile."""
    assert settings.request_deadline_seconds - 1 > bundle_store.STORE_SILENCE_SECONDS
    source_id = await sources.add_page(site.base_url)
    await changed(sources, site, source_id, SECOND)
    hanging = settings.model_copy(update={"object_store_url": URL})
    deleting = Sources(sources.tenant, sources.agent_id, database, hanging)
    monkeypatch.setattr(bundle_store, "STORE_SILENCE_SECONDS", 0.2)
    with silent_bucket(monkeypatch), pytest.raises(BaseError):
        await deleting.delete_next(source_id)


async def test_a_deletion_that_waits_for_its_time_does_not_hold_up_its_source(
    sources: Sources, site: Website, database: Database, settings: ControlPlaneSettings
) -> None:
    source_id = await sources.add_page(site.base_url)
    await changed(sources, site, source_id, SECOND)
    async with database.system_session() as session:
        await session.execute(text("DELETE FROM procrastinate_jobs WHERE scheduled_at IS NULL"))
    await sources.tenant.post(f"{sources.path}/{source_id}/refresh")
    await run_queues(database, settings)
    assert (await sources.get(source_id))["source"]["status"] == "ready"
    assert len(await times_of_deletions(database)) == 1


async def test_nothing_is_deleted_while_its_source_is_ingested(
    sources: Sources, site: Website, database: Database, settings: ControlPlaneSettings
) -> None:
    source_id = await sources.add_page(site.base_url)
    await changed(sources, site, source_id, SECOND)
    async with database.system_session() as session:
        await session.execute(
            text(
                "UPDATE procrastinate_jobs SET status = 'doing' WHERE id ="
                " (SELECT min(id) FROM procrastinate_jobs WHERE task_name = 'knowledge.ingest')"
            )
        )
        await session.execute(text("UPDATE procrastinate_jobs SET scheduled_at = NULL"))
    await run_queues(database, settings)
    assert len(await times_of_deletions(database)) == 1
    async with database.system_session() as session:
        await session.execute(text("UPDATE procrastinate_jobs SET status = 'todo'"))
    await run_queues(database, settings)
    assert await times_of_deletions(database) == []


async def test_deletions_do_not_wait_for_ingestions_of_other_sources(
    sources: Sources, site: Website, database: Database, settings: ControlPlaneSettings
) -> None:
    source_id = await sources.add_page(site.base_url)
    await removed(sources, source_id)
    async with database.system_session() as session:
        await session.execute(text("DELETE FROM procrastinate_jobs WHERE scheduled_at IS NULL"))
        await session.execute(text("UPDATE procrastinate_jobs SET scheduled_at = NULL"))
    other = {"kind": "text", "title": "Food", "text": FIRST.decode()}
    await sources.tenant.post(sources.path, other)
    await run_queues(database, settings, PATIENT_QUEUE)
    assert await times_of_deletions(database) == []


async def test_deletions_that_an_earlier_build_has_added_run_where_they_wait(
    sources: Sources,
    site: Website,
    database: Database,
    settings: ControlPlaneSettings,
    tmp_path: Path,
) -> None:
    source_id = await sources.add_page(site.base_url)
    await removed(sources, source_id)
    async with database.system_session() as session:
        await session.execute(text("DELETE FROM procrastinate_jobs WHERE scheduled_at IS NULL"))
        earlier = text("UPDATE procrastinate_jobs SET scheduled_at = NULL, queue_name = :queue")
        await session.execute(earlier, {"queue": KNOWLEDGE_QUEUE})
    await run_queues(database, settings, KNOWLEDGE_QUEUE)
    assert files_of(tmp_path, source_id) == []


async def run_queues(database: Database, settings: ControlPlaneSettings, *queues: str) -> None:
    """Run the jobs that are due, as the jobs process does."""
    with job_queue.replace_connector(worker_connector(settings.database_url)):
        async with job_queue.open_async():
            await job_queue.run_worker_async(
                queues=list(queues) or [KNOWLEDGE_QUEUE, PATIENT_QUEUE],
                wait=False,
                install_signal_handlers=False,
                delete_jobs="successful",
                additional_context=job_resources(database, settings),
            )

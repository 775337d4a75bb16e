"""Web pages are fetched again, on request or as often as their tenant wants; what has not changed
costs nothing."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest
from sqlalchemy import text, update

from control_plane.building.knowledge_sources import tasks
from control_plane.building.knowledge_sources.ingestion import PageText, page_text
from control_plane.building.knowledge_sources.models import KnowledgeSource
from control_plane.building.knowledge_sources.tasks import REFRESHES_OF_A_TENANT
from control_plane.platform.database import Database
from control_plane.platform.settings import ControlPlaneSettings
from tests.control_plane.building.knowledge_sources.ingesting import Sources, files_of
from tests.control_plane.building.knowledge_sources.quotas import limit_plan
from tests.control_plane.conftest import TenantClient
from tests.stand_ins.website import WebPage, Website, html

FIRST, SECOND = "Breakfast is from seven to ten.", "Breakfast is from eight to eleven."


@pytest.fixture
def settings(settings: ControlPlaneSettings) -> ControlPlaneSettings:
    return settings.model_copy(update={"outbound_allowed_networks": ("127.0.0.1/32",)})


@pytest.fixture
async def site() -> AsyncIterator[Website]:
    async with Website({"/": page(FIRST, '"1"')}).serving() as site:
        yield site


def page(words: str, etag: str | None = None) -> WebPage:
    return WebPage(words.encode(), "text/plain; charset=utf-8", etag=etag)


async def come_due(database: Database, sources: Sources, source_id: str) -> None:
    async with database.tenant_session(sources.tenant.tenant_id) as session:
        await session.execute(
            update(KnowledgeSource)
            .where(KnowledgeSource.id == UUID(source_id))
            .values(refresh_at=datetime.now(UTC) - timedelta(seconds=1))
        )


async def refreshed(sources: Sources, source_id: str) -> None:
    answer = await sources.tenant.post(f"{sources.path}/{source_id}/refresh")
    assert answer.status_code == 202, answer.text
    await sources.ingest(source_id)


@pytest.mark.parametrize("etag", ['"1"', None], ids=["an etag", "no etag"])
async def test_a_page_that_has_not_changed_keeps_its_passages(
    sources: Sources, site: Website, tmp_path: Path, etag: str | None
) -> None:
    site.pages = {"/": page(FIRST, etag)}
    source_id = await sources.add_page(site.base_url)
    [stored] = files_of(tmp_path, source_id)
    before = (await sources.get(source_id))["source"]
    stored_at = stored.stat().st_mtime_ns
    await refreshed(sources, source_id)
    assert (await sources.get(source_id))["source"] == before
    assert [each.stat().st_mtime_ns for each in files_of(tmp_path, source_id)] == [stored_at]
    assert site.visited == ["/", "/"]


@pytest.mark.parametrize("etag", ['"1"', None], ids=["an etag", "no etag"])
async def test_a_page_whose_passages_are_lost_is_ingested_again(
    sources: Sources, site: Website, tmp_path: Path, etag: str | None
) -> None:
    site.pages = {"/": page(FIRST, etag)}
    source_id = await sources.add_page(site.base_url)
    [stored] = files_of(tmp_path, source_id)
    stored.unlink()
    await refreshed(sources, source_id)
    assert files_of(tmp_path, source_id) == [stored]
    assert (await sources.get(source_id))["source"]["status"] == "ready"


async def test_a_page_that_has_not_changed_is_ready_while_the_store_is_away(
    sources: Sources, site: Website, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(*_: object) -> bool:
        raise OSError("away")

    source_id = await sources.add_page(site.base_url)
    monkeypatch.setattr(tasks, "has_bundle", away)
    await refreshed(sources, source_id)
    assert (await sources.get(source_id))["source"]["status"] == "ready"
    assert site.visited == ["/", "/"]


async def test_a_page_that_has_changed_is_found_by_its_new_words(
    sources: Sources, site: Website
) -> None:
    source_id = await sources.add_page(site.base_url)
    site.pages = {"/": page(SECOND, '"2"')}
    assert FIRST in (await sources.search("breakfast"))[0]["text"]
    await refreshed(sources, source_id)
    [found] = await sources.search("breakfast")
    assert SECOND in found["text"]


async def test_a_page_of_very_many_tags_is_read_to_its_end(sources: Sources, site: Website) -> None:
    site.pages = {"/": html(f"<p>{FIRST}</p>{'<i></i>' * 2_100}<p>Pets are welcome.</p>")}
    source_id = await sources.add_page(site.base_url)
    assert (await sources.get(source_id))["source"]["status"] == "ready"
    assert "Pets are welcome." in (await sources.search("pets"))[0]["text"]


async def test_the_bytes_of_pages_count_in_the_quota_once_they_are_fetched(
    sources: Sources, site: Website, database: Database
) -> None:
    await limit_plan(database, knowledge_bytes_max=len(FIRST))
    first = await sources.add_page(site.base_url)
    second = await sources.add_page(site.base_url)
    assert (await sources.get(first))["source"]["status"] == "ready"
    failed = (await sources.get(second))["source"]
    assert (failed["status"], failed["bytes"], failed["chunk_count"]) == ("failed", 0, 0)
    assert "Your plan allows" in failed["failure_reason"]


async def test_a_page_that_has_become_too_large_for_the_quota_keeps_its_passages(
    sources: Sources, site: Website, database: Database
) -> None:
    await limit_plan(database, knowledge_bytes_max=len(FIRST))
    source_id = await sources.add_page(site.base_url)
    site.pages = {"/": page(SECOND)}
    await refreshed(sources, source_id)
    source = (await sources.get(source_id))["source"]
    assert (source["status"], source["bytes"]) == ("failed", len(FIRST))
    assert FIRST in (await sources.search("breakfast"))[0]["text"]


async def test_a_page_that_is_away_for_once_keeps_its_passages_and_its_schedule(
    sources: Sources, site: Website, database: Database
) -> None:
    source_id = await sources.add_page(site.base_url, refresh_hours=1)
    site.pages = {}
    await come_due(database, sources, source_id)
    await sources.refresh_due()
    await sources.ingest(source_id)
    source = (await sources.get(source_id))["source"]
    assert (source["status"], source["chunk_count"]) == ("failed", 1)
    assert "404" in source["failure_reason"]
    assert datetime.fromisoformat(source["refresh_at"]) > datetime.now(UTC)
    assert FIRST in (await sources.search("breakfast"))[0]["text"]
    site.pages = {"/": page(FIRST, '"1"')}
    await come_due(database, sources, source_id)
    await sources.refresh_due()
    await sources.ingest(source_id)
    source = (await sources.get(source_id))["source"]
    assert (source["status"], source["failure_reason"]) == ("ready", None)


async def test_a_page_is_fetched_again_when_its_hours_are_over(
    sources: Sources, site: Website, database: Database
) -> None:
    begun = datetime.now(UTC)
    source_id = await sources.add_page(site.base_url, refresh_hours=24)
    source = (await sources.get(source_id))["source"]
    assert source["refresh_hours"] == 24
    waits = datetime.fromisoformat(source["refresh_at"]) - begun
    assert timedelta(hours=24) <= waits <= timedelta(hours=24, minutes=1)
    await sources.refresh_due()
    assert (await sources.get(source_id))["source"]["status"] == "ready"
    await come_due(database, sources, source_id)
    await sources.refresh_due()
    assert (await sources.get(source_id))["source"]["status"] == "pending"
    await sources.ingest(source_id)
    assert site.visited == ["/", "/"]
    again = (await sources.get(source_id))["source"]
    assert datetime.fromisoformat(again["refresh_at"]) > datetime.now(UTC)


async def test_a_page_without_a_schedule_is_fetched_once(sources: Sources, site: Website) -> None:
    source_id = await sources.add_page(site.base_url)
    await sources.refresh_due()
    source = (await sources.get(source_id))["source"]
    assert (source["status"], source["refresh_at"]) == ("ready", None)


async def test_a_schedule_is_changed_and_taken_away(sources: Sources, site: Website) -> None:
    source_id = await sources.add_page(site.base_url)
    path = f"{sources.path}/{source_id}"
    answer = await sources.tenant.request("PATCH", path, json={"refresh_hours": 2})
    source = answer.json()["source"]
    assert (answer.status_code, source["refresh_hours"]) == (200, 2)
    waits = datetime.fromisoformat(source["refresh_at"]) - datetime.now(UTC)
    assert timedelta(hours=1, minutes=59) <= waits <= timedelta(hours=2)
    answer = await sources.tenant.request("PATCH", path, json={"refresh_hours": None})
    source = answer.json()["source"]
    assert (source["refresh_hours"], source["refresh_at"]) == (None, None)


@pytest.mark.parametrize("hours", [0, 721, 1.5, "2", True])
async def test_wrong_hours_are_400(sources: Sources, site: Website, hours: object) -> None:
    body = {"kind": "url", "title": "Page", "url": site.base_url, "refresh_hours": hours}
    answer = await sources.tenant.post(sources.path, body)
    assert (answer.status_code, answer.json()["code"]) == (400, "invalid_request")
    source_id = await sources.add_page(site.base_url)
    path = f"{sources.path}/{source_id}"
    answer = await sources.tenant.request("PATCH", path, json={"refresh_hours": hours})
    assert (answer.status_code, answer.json()["code"]) == (400, "invalid_request")


async def test_only_web_pages_have_a_schedule(sources: Sources) -> None:
    body = {"kind": "text", "title": "Food", "text": FIRST, "refresh_hours": 24}
    answer = await sources.tenant.post(sources.path, body)
    assert (answer.status_code, answer.json()["code"]) == (400, "invalid_request")
    source_id = await sources.add_text("Food", FIRST)
    path = f"{sources.path}/{source_id}"
    answer = await sources.tenant.request("PATCH", path, json={"refresh_hours": 24})
    assert (answer.status_code, answer.json()["code"]) == (409, "only_pages_are_refreshed")


async def add_due_pages(database: Database, sources: Sources, count: int) -> None:
    """Pages that were read before."""
    async with database.tenant_session(sources.tenant.tenant_id) as session:
        session.add_all(
            KnowledgeSource(
                id=uuid4(),
                tenant_id=sources.tenant.tenant_id,
                agent_id=sources.agent_id,
                kind="url",
                title="Page",
                source_uri="https://pages.example/",
                bytes=0,
                status="ready",
                refresh_hours=1,
                refresh_at=datetime.now(UTC) - timedelta(hours=1),
            )
            for _ in range(count)
        )


async def waiting(sources: Sources) -> int:
    """How many of the tenant's sources wait to be fetched."""
    listed = (await sources.tenant.get(sources.path)).json()["sources"]
    return sum(source["status"] == "pending" for source in listed)


async def test_tenants_take_turns_at_being_due(
    sources: Sources, other_tenant: TenantClient, database: Database, settings: ControlPlaneSettings
) -> None:
    others = Sources(other_tenant, await other_tenant.agent(), database, settings)
    await add_due_pages(database, sources, REFRESHES_OF_A_TENANT + 5)
    await add_due_pages(database, others, 1)
    for _ in range(2):
        # The second time, none was fetched meanwhile.
        await sources.refresh_due()
        assert await waiting(sources) == REFRESHES_OF_A_TENANT
        assert await waiting(others) == 1
    assert (await tenants_in_turn(database))[:2].count(str(other_tenant.tenant_id)) == 1
    async with database.tenant_session(sources.tenant.tenant_id) as session:
        fetched = update(KnowledgeSource).where(KnowledgeSource.status == "pending")
        later = datetime.now(UTC) + timedelta(hours=1)
        await session.execute(fetched.values(status="ready", refresh_at=later))
    await sources.refresh_due()
    assert await waiting(sources) == 5


async def tenants_in_turn(database: Database) -> list[str]:
    """Of the ingestions that wait, in the order in which they are run."""
    async with database.system_session() as session:
        found = await session.scalars(
            text(
                "SELECT args->>'tenant_id' FROM procrastinate_jobs"
                " WHERE task_name = 'knowledge.ingest' ORDER BY priority DESC, id"
            )
        )
        return list(found)


async def test_what_a_tenant_has_just_sent_comes_before_what_is_due(
    sources: Sources, other_tenant: TenantClient, site: Website, database: Database
) -> None:
    await add_due_pages(database, sources, 2)
    await sources.refresh_due()
    agent_id = await other_tenant.agent()
    body = {"kind": "text", "title": "Food", "text": FIRST}
    await other_tenant.post(f"/v1/agents/{agent_id}/knowledge-sources", body)
    mine, other = str(sources.tenant.tenant_id), str(other_tenant.tenant_id)
    assert await tenants_in_turn(database) == [other, mine, mine]


async def test_a_page_that_is_asked_for_while_it_waits_for_its_turn_comes_first(
    sources: Sources, site: Website, database: Database
) -> None:
    source_id = await sources.add_page(site.base_url, refresh_hours=1)
    await come_due(database, sources, source_id)
    await sources.refresh_due()
    before = len(await tenants_in_turn(database))
    for _ in range(2):
        await sources.tenant.post(f"{sources.path}/{source_id}/refresh")
        assert len(await tenants_in_turn(database)) == before + 1, "once is enough"
    await sources.ingest(source_id)
    await sources.ingest(source_id)
    assert site.visited == ["/", "/"], "the job of the schedule finds nothing to do"


@pytest.mark.parametrize("before", [{"/": page(FIRST)}, {}], ids=["read", "not found"])
async def test_a_page_that_is_asked_for_while_it_is_ingested_is_fetched_once_more(
    sources: Sources,
    site: Website,
    monkeypatch: pytest.MonkeyPatch,
    before: dict[str, WebPage],
) -> None:
    async def changed_once_it_was_fetched(*arguments: Any) -> PageText:
        try:
            return await page_text(*arguments)
        finally:
            site.pages = {"/": page(SECOND)}
            await sources.tenant.post(f"{sources.path}/{source_id}/refresh")

    site.pages = before
    body = {"kind": "url", "title": "Page", "url": site.base_url}
    source_id = (await sources.tenant.post(sources.path, body)).json()["source"]["id"]
    with monkeypatch.context() as patch:
        patch.setattr(tasks, "page_text", changed_once_it_was_fetched)
        await sources.ingest(source_id)
    assert (await sources.get(source_id))["source"]["status"] == "pending"
    await sources.ingest(source_id)
    assert (await sources.get(source_id))["source"]["status"] == "ready"
    [found] = await sources.search("breakfast")
    assert SECOND in found["text"]


async def test_a_page_that_waits_for_its_turn_keeps_its_place_when_its_hours_change(
    sources: Sources, site: Website, database: Database
) -> None:
    source_id = await sources.add_page(site.base_url, refresh_hours=1)
    await add_due_pages(database, sources, REFRESHES_OF_A_TENANT)
    async with database.tenant_session(sources.tenant.tenant_id) as session:
        first = update(KnowledgeSource).where(KnowledgeSource.id == UUID(source_id))
        await session.execute(first.values(refresh_at=datetime.now(UTC) - timedelta(hours=2)))
    await sources.refresh_due()
    path = f"{sources.path}/{source_id}"
    answer = await sources.tenant.request("PATCH", path, json={"refresh_hours": 2})
    assert answer.status_code == 200
    await sources.refresh_due()
    assert await waiting(sources) == REFRESHES_OF_A_TENANT
    before = len(await tenants_in_turn(database))
    await sources.tenant.post(f"{path}/refresh")
    assert len(await tenants_in_turn(database)) == before + 1, "it comes first now"
    await sources.ingest(source_id)
    source = (await sources.get(source_id))["source"]
    waits = datetime.fromisoformat(source["refresh_at"]) - datetime.now(UTC)
    assert timedelta(hours=1, minutes=59) <= waits <= timedelta(hours=2)

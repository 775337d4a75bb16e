"""From what is sent to what is found."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import pytest
from sqlalchemy import text

from control_plane.building.agents import repository as agents
from control_plane.platform.database import Database
from tests.control_plane.building.knowledge_sources.ingesting import Sources, files_of
from tests.control_plane.conftest import TenantClient
from tests.control_plane.lock_waits import backend_of, waits_for
from tests.knowledge.documents import docx_of, pdf_of
from tests.runtime.until import until


async def test_an_uploaded_pdf_is_found_by_its_meaning(sources: Sources) -> None:
    await sources.add_text("Food", "Breakfast is served from seven to ten.")
    source_id = await sources.upload("house.pdf", pdf_of("Pets are welcome for 15 euros a night."))
    source = (await sources.get(source_id))["source"]
    assert (source["status"], source["title"], source["source_uri"]) == (
        "ready",
        "house.pdf",
        "house.pdf",
    )
    assert (source["progress"], source["chunk_count"]) == (1, 1)
    first, *_ = await sources.search("Can I bring my dog?")
    assert first["source_id"] == source_id
    assert "15 euros" in first["text"]


async def test_chunks_are_shown_on_request(sources: Sources) -> None:
    source_id = await sources.add_text("House", "# Pets\n\nWelcome.\n\n# Food\n\nGood.")
    assert (await sources.get(source_id))["chunks"] is None
    shown = (await sources.get(source_id, "?chunks=true&limit=1&offset=1"))["chunks"]
    assert shown == [{"context": "House › Food", "text": "Good."}]


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("a.pdf", pdf_of("x", password="secret"), "password"),
        ("a.docx", docx_of("x", extra=b"\0" * 100_000_000), "unpacks"),
        ("a.json", b"[" * 200_000, "inside each other"),
        ("a.txt", b"", "empty"),
    ],
    ids=["locked pdf", "zip bomb", "nested json", "empty"],
)
async def test_a_hostile_file_fails_alone_and_says_why(
    sources: Sources, name: str, content: bytes, reason: str
) -> None:
    good = await sources.add_text("Food", "Breakfast is served from seven to ten.")
    bad = (await sources.get(await sources.upload(name, content)))["source"]
    assert bad["status"] == "failed"
    assert reason in bad["failure_reason"]
    assert [found["source_id"] for found in await sources.search("breakfast")] == [good]


async def test_a_deleted_source_is_found_no_more(sources: Sources, tmp_path: Path) -> None:
    source_id = await sources.add_text("Food", "Breakfast is served from seven to ten.")
    assert len(files_of(tmp_path, source_id)) == 1
    answer = await sources.tenant.request("DELETE", f"{sources.path}/{source_id}")
    assert answer.status_code == 204
    assert await sources.search("breakfast") == []
    await sources.delete_old_bundles(source_id)
    assert files_of(tmp_path, source_id) == []


async def test_a_deleted_agent_leaves_no_source(sources: Sources, database: Database) -> None:
    await sources.add_text("Food", "Breakfast is served from seven to ten.")
    answer = await sources.tenant.request("DELETE", f"/v1/agents/{sources.agent_id}")
    assert answer.status_code == 200, answer.text
    async with database.tenant_session(sources.tenant.tenant_id) as session:
        assert await session.scalar(text("SELECT count(*) FROM knowledge_sources")) == 0


async def test_an_agent_that_is_being_deleted_gets_no_source(
    sources: Sources, database: Database
) -> None:
    wanted = {"kind": "text", "title": "Food", "text": "Breakfast is served from seven to ten."}
    async with asyncio.TaskGroup() as tasks, database.system_session() as deleting:
        agent = await agents.find(
            deleting, sources.tenant.tenant_id, sources.agent_id, for_update=True
        )
        assert agent is not None
        agent.deleted_at = datetime.now(UTC)
        await deleting.flush()
        adding = tasks.create_task(sources.tenant.post(sources.path, wanted))
        await until(partial(waits_for, database, await backend_of(deleting)))
    answer = adding.result()
    assert (answer.status_code, answer.json()["code"]) == (404, "agent_not_found")
    async with database.tenant_session(sources.tenant.tenant_id) as session:
        assert await session.scalar(text("SELECT count(*) FROM knowledge_sources")) == 0


async def test_what_was_sent_is_kept_only_until_it_is_ingested(
    sources: Sources, database: Database
) -> None:
    await sources.add_text("Food", "Breakfast is served from seven to ten.")
    async with database.tenant_session(sources.tenant.tenant_id) as session:
        kept = await session.scalar(text("SELECT count(content) FROM knowledge_sources"))
    assert kept == 0


async def test_another_agent_finds_nothing(sources: Sources, tenant: TenantClient) -> None:
    await sources.add_text("Food", "Breakfast is served from seven to ten.")
    other = await tenant.agent()
    answer = await tenant.post(
        f"/v1/agents/{other}/knowledge-sources/search", {"question": "breakfast"}
    )
    assert answer.json() == {"results": []}


async def test_a_page_that_cannot_be_fetched_fails_with_a_reason(sources: Sources) -> None:
    answer = await sources.tenant.post(
        sources.path, {"kind": "url", "title": "Us", "url": "https://not-there.example/"}
    )
    source_id = await sources.ingest(answer.json()["source"]["id"])
    source = (await sources.get(source_id))["source"]
    assert source["status"] == "failed"
    assert source["failure_reason"]
    again = await sources.tenant.post(f"{sources.path}/{source_id}/refresh")
    assert again.status_code == 202
    assert again.json()["source"]["status"] == "pending"

"""The Python client, over a socket, against the API's routes for knowledge."""

from __future__ import annotations

from collections.abc import AsyncIterator
from uuid import UUID

import pytest
from fastapi import FastAPI

from switchboard_client import AsyncSwitchboard
from switchboard_client.problems import InvalidRequest, KnowledgeSourceNotFound
from tests.control_plane.building.knowledge_sources.ingesting import Sources
from tests.control_plane.platform.http.real_server import served
from tests.knowledge.documents import pdf_of

HOUSE = pdf_of("Pets are welcome for 15 euros a night.")


@pytest.fixture
async def client(app: FastAPI, sources: Sources) -> AsyncIterator[AsyncSwitchboard]:
    async with served(app) as address, AsyncSwitchboard(address, sources.tenant.key) as client:
        yield client


async def test_an_uploaded_pdf_is_found_read_and_deleted(
    client: AsyncSwitchboard, sources: Sources
) -> None:
    agent, knowledge = sources.agent_id, client.knowledge
    added = (await knowledge.upload(agent, "house.pdf", HOUSE, title="House")).source
    assert (added.kind, added.title, added.source_uri) == ("file", "House", "house.pdf")
    await sources.ingest(str(added.id))
    [found] = (await knowledge.search(agent, "Can I bring my dog?", limit=1)).results
    assert (found.source_id, found.source_title) == (added.id, "House")
    shown = await knowledge.show(agent, added.id, chunks=True)
    assert shown.chunks is not None
    assert [chunk.text for chunk in shown.chunks] == [found.text]
    await knowledge.remove(agent, added.id)
    assert (await knowledge.sources(agent)).sources == []
    with pytest.raises(KnowledgeSourceNotFound):
        await knowledge.show(agent, added.id)


async def test_an_upload_that_is_sent_again_under_its_key_makes_one_source(
    client: AsyncSwitchboard, sources: Sources
) -> None:
    ids: set[UUID] = set()
    for _ in range(2):
        again = await client.knowledge.upload(
            sources.agent_id, "house.pdf", HOUSE, idempotency_key="house-of-march"
        )
        ids.add(again.source.id)
    listed = (await client.knowledge.sources(sources.agent_id)).sources
    assert ids == {source.id for source in listed}
    assert len(listed) == 1


async def test_texts_and_pages_are_added_and_a_page_is_fetched_again(
    client: AsyncSwitchboard, sources: Sources
) -> None:
    agent, knowledge = sources.agent_id, client.knowledge
    await knowledge.add_text(agent, "Food", "Breakfast is served from seven to ten.")
    address = "https://8.8.8.8/hours"
    page = (await knowledge.add_page(agent, "Hours", address, refresh_hours=24)).source
    assert page.refresh_hours == 24
    assert (await knowledge.fetch_every(agent, page.id, None)).source.refresh_hours is None
    assert (await knowledge.refresh(agent, page.id)).source.status == "pending"
    with pytest.raises(InvalidRequest) as refused:
        await knowledge.upload(agent, "house.pdf", b"no pdf")
    assert refused.value.errors[0]["field"] == "file"

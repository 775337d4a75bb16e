"""A long knowledge base is looked up in calls, as a source of its own, and not in their prompt."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple
from uuid import UUID

import pytest
from sqlalchemy import select

from contracts.call_plan import CallPlan
from control_plane.building.knowledge_sources import tasks
from control_plane.calling.calls.models import Call
from control_plane.platform.database import Database
from control_plane.platform.settings import ControlPlaneSettings
from knowledge.embedding.embedder import EmbeddingSettings
from pipelines.texts.page_texts import LONGEST_IN_PROMPT
from tests.control_plane.building.knowledge_sources.ingesting import Sources, files_of
from tests.control_plane.building.knowledge_sources.quotas import limit_plan
from tests.control_plane.conftest import TenantClient
from tests.control_plane.conversation import create_call

BREAKFAST = "Breakfast is served from seven to ten."
OTHER = "Pets are welcome for 15 euros a night."
FILLING = [f"Room {number} has a view of the lake and a balcony." for number in range(80)]
assert sum(map(len, FILLING)) > LONGEST_IN_PROMPT


class Told(NamedTuple):
    """What a call is told of the knowledge base."""

    in_prompt: bool
    looked_up: int
    """How many sources."""


class Hotel(Sources):
    """An agent with a knowledge base."""

    database: Database

    async def know(self, *passages: str, **fields: Any) -> None:
        body = {"persona": {"knowledgeBase": [*passages]}, **fields}
        path = f"/v1/agents/{self.agent_id}"
        answer = await self.tenant.request("PATCH", path, json=body)
        assert answer.status_code == 200, answer.text
        await self.publish()

    async def publish(self, path: str = "publish") -> None:
        answer = await self.tenant.post(f"/v1/agents/{self.agent_id}/{path}")
        assert answer.status_code == 200, answer.text

    async def listed(self) -> list[dict[str, Any]]:
        answer = await self.tenant.get(self.path)
        return list(answer.json()["sources"])

    async def ingest_all(self) -> None:
        for source in await self.listed():
            await self.ingest(source["id"])

    async def plan(self, agent_id: UUID | None = None, **fields: Any) -> CallPlan:
        created = await create_call(self.tenant, agent_id or self.agent_id, **fields)
        async with self.database.tenant_session(self.tenant.tenant_id) as session:
            found = select(Call.plan).where(Call.id == UUID(created["id"]))
            return CallPlan.model_validate(await session.scalar(found))

    async def told(self, sentence: str = BREAKFAST) -> Told:
        plan = await self.plan()
        return Told(sentence in plan.compiled_prompt, len(plan.knowledge))


@pytest.fixture
async def hotel(tenant: TenantClient, database: Database, settings: ControlPlaneSettings) -> Hotel:
    hotel = Hotel(tenant, await tenant.agent(), database, settings)
    hotel.database = database
    return hotel


IN_PROMPT, LOOKED_UP = Told(in_prompt=True, looked_up=0), Told(in_prompt=False, looked_up=1)


async def test_a_long_knowledge_base_is_in_the_prompt_until_calls_can_look_it_up(
    hotel: Hotel,
) -> None:
    await hotel.know(BREAKFAST, *FILLING, "For {{ name }}.")
    [source] = await hotel.listed()
    assert (source["kind"], source["title"]) == ("persona", "Knowledge base")
    assert await hotel.told() == IN_PROMPT

    await hotel.ingest_all()
    plan = await hotel.plan(variables={"name": "Ann"})
    assert BREAKFAST not in plan.compiled_prompt
    assert "- For Ann." in plan.compiled_prompt
    assert [str(each.source_id) for each in plan.knowledge] == [source["id"]]
    assert any(BREAKFAST in each["text"] for each in await hotel.search("When is breakfast?"))


async def test_a_short_knowledge_base_stays_in_the_prompt(hotel: Hotel) -> None:
    await hotel.know(BREAKFAST)
    assert await hotel.listed() == []
    assert await hotel.told() == IN_PROMPT


async def test_what_an_earlier_version_knew_is_not_looked_up(hotel: Hotel) -> None:
    await hotel.know(BREAKFAST, *FILLING)
    await hotel.ingest_all()
    await hotel.know(OTHER, *FILLING)
    assert await hotel.told(OTHER) == IN_PROMPT
    await hotel.ingest_all()
    assert await hotel.told(OTHER) == LOOKED_UP
    assert len(await hotel.listed()) == 1


async def test_a_roll_back_brings_back_what_the_version_knew(hotel: Hotel) -> None:
    await hotel.know(BREAKFAST, *FILLING)
    await hotel.know(OTHER)
    assert await hotel.listed() == []
    await hotel.publish("versions/1/roll-back")
    await hotel.ingest_all()
    assert await hotel.told() == LOOKED_UP


async def test_publishing_the_same_again_keeps_what_is_ingested(hotel: Hotel) -> None:
    await hotel.know(BREAKFAST, *FILLING)
    await hotel.ingest_all()
    await hotel.publish()
    [source] = await hotel.listed()
    assert source["status"] == "ready"
    assert await hotel.told() == LOOKED_UP


async def test_one_that_is_published_while_another_is_ingested_wins(
    hotel: Hotel, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    await hotel.know(BREAKFAST, *FILLING)
    [source] = await hotel.listed()
    make = tasks.bundle_of

    async def publishes_meanwhile(*arguments: Any) -> bytes:
        monkeypatch.setattr(tasks, "bundle_of", make)
        bundle = await make(*arguments)
        await hotel.know(OTHER, *FILLING)
        return bundle

    monkeypatch.setattr(tasks, "bundle_of", publishes_meanwhile)
    await hotel.ingest(source["id"])
    assert await hotel.told(OTHER) == IN_PROMPT
    await hotel.ingest_all()
    assert await hotel.told(OTHER) == LOOKED_UP
    await hotel.delete_old_bundles(source["id"])
    assert files_of(tmp_path, source["id"]) == [], "what was made of the former one goes"


async def test_publishing_the_same_again_while_it_is_ingested_begins_nothing_new(
    hotel: Hotel,
) -> None:
    await hotel.know(BREAKFAST, *FILLING)
    before = await hotel.listed()
    await hotel.publish()
    assert await hotel.listed() == before


async def test_publishing_again_tries_a_failed_ingestion_again(hotel: Hotel) -> None:
    await hotel.know(BREAKFAST, *FILLING)
    [source] = await hotel.listed()
    await hotel.fail(source["id"])
    await hotel.publish()
    await hotel.ingest_all()
    assert await hotel.told() == LOOKED_UP


async def test_a_raw_prompt_has_no_knowledge_base(hotel: Hotel) -> None:
    raw = {"advanced": {"prompt_mode": "raw"}, "system_prompt": "You are Mia."}
    await hotel.know(BREAKFAST, *FILLING, **raw)
    assert await hotel.listed() == []
    assert await hotel.told() == Told(in_prompt=False, looked_up=0)


async def test_a_language_that_the_model_does_not_know_stays_in_the_prompt(
    hotel: Hotel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(EmbeddingSettings, "knows", lambda *_: False)
    await hotel.know(BREAKFAST, *FILLING)
    assert await hotel.listed() == []
    assert await hotel.told() == IN_PROMPT


async def test_a_failed_ingestion_leaves_it_in_the_prompt(hotel: Hotel) -> None:
    await hotel.know(BREAKFAST, *FILLING)
    [source] = await hotel.listed()
    await hotel.fail(source["id"])
    assert await hotel.told() == IN_PROMPT


async def test_an_agent_that_takes_over_looks_its_own_up(
    hotel: Hotel, tenant: TenantClient
) -> None:
    await hotel.know(BREAKFAST, *FILLING)
    await hotel.ingest_all()
    handoff = {"type": "handoff", "name": "to_hotel", "agent_id": str(hotel.agent_id)}
    first = await tenant.published_agent(tools=[handoff | {"description": "To the hotel."}])
    [planned] = (await hotel.plan(first)).handoffs
    assert BREAKFAST not in planned.compiled_prompt
    assert len(planned.knowledge) == 1


async def test_publishing_decides_about_the_source(hotel: Hotel, tmp_path: Path) -> None:
    await hotel.know(BREAKFAST, *FILLING)
    await hotel.ingest_all()
    [source] = await hotel.listed()
    refused = await hotel.tenant.request("DELETE", f"{hotel.path}/{source['id']}")
    assert (refused.status_code, refused.json()["code"]) == (409, "knowledge_of_persona")
    refused = await hotel.tenant.post(f"{hotel.path}/{source['id']}/refresh")
    assert (refused.status_code, refused.json()["code"]) == (409, "only_pages_are_refreshed")
    await hotel.know()
    assert await hotel.listed() == []
    await hotel.delete_old_bundles(source["id"])
    assert files_of(tmp_path, source["id"]) == []


async def test_a_knowledge_base_takes_nothing_of_a_quota(hotel: Hotel, database: Database) -> None:
    await limit_plan(database, knowledge_sources_max=1)
    await hotel.know(BREAKFAST, *FILLING)
    await hotel.add_text("Pets", OTHER)
    assert len(await hotel.listed()) == 2

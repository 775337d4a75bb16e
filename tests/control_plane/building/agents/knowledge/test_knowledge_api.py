"""Web pages of a knowledge base over the API: when they are fetched, and what becomes of them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any
from uuid import UUID

import pytest
from fastapi import FastAPI
from sqlalchemy import func, select

from contracts.call_plan import CallPlan
from control_plane.building.agents.knowledge.pages import MOST_PAGES
from control_plane.building.agents.models import Agent
from control_plane.calling.calls.models import Call
from control_plane.money.spending.limits import RequestsAtOnce
from control_plane.platform.audit.models import AuditEntry
from control_plane.platform.database import Database
from control_plane.platform.settings import ControlPlaneSettings
from tests.control_plane.building.agents.test_slow_names import connections_in_use
from tests.control_plane.conftest import TenantClient
from tests.control_plane.conversation import create_call
from tests.stand_ins.website import WebPage, Website


@pytest.fixture
def settings(settings: ControlPlaneSettings) -> ControlPlaneSettings:
    return settings.model_copy(
        update={"outbound_allowed_networks": ("127.0.0.1/32",), "agent_builder_per_minute": 40}
    )


@pytest.fixture
async def site() -> AsyncIterator[Website]:
    async with Website({"/menu": text("Pizza is nine euros.")}).serving() as site:
        yield site


def text(words: str) -> WebPage:
    return WebPage(words.encode(), "text/plain; charset=utf-8")


def change(site: Website, **pages: WebPage) -> None:
    site.pages = {f"/{path}": page for path, page in pages.items()}


def knowing(*passages: str) -> dict[str, Any]:
    return {"persona": {"knowledgeBase": list(passages)}}


async def prompt(tenant: TenantClient, agent_id: UUID) -> str:
    answer = await tenant.get(f"/v1/agents/{agent_id}")
    return str(answer.json()["compiled_prompt"])


async def patch(tenant: TenantClient, agent_id: UUID, body: Any, **headers: str) -> str:
    """The agent's ETag after the update."""
    answer = await tenant.http.patch(
        f"/v1/agents/{agent_id}", headers=tenant.headers | headers, json=body
    )
    assert answer.status_code == 200, answer.text
    return str(answer.headers["etag"])


async def warnings(tenant: TenantClient, agent_id: UUID) -> list[tuple[str, str]]:
    """Code and message of those on pages."""
    answer = await tenant.post("/v1/agents/validate-publish", {"agent_id": str(agent_id)})
    assert answer.json()["ready"], answer.text
    found = [(each["code"], each["message"]) for each in answer.json()["warnings"]]
    return [each for each in found if each[0].startswith("page_")]


@pytest.mark.parametrize("path", ["/v1/agents", "/v1/agents/draft"])
async def test_a_new_agent_knows_what_its_pages_say(
    tenant: TenantClient, site: Website, path: str
) -> None:
    url = f"{site.base_url}/menu"
    created = await tenant.post(path, {"name": "Desk"} | knowing("We have parking.", url))
    said = await prompt(tenant, created.json()["id"])
    assert "- We have parking." in said
    assert f"From the web page {url}" in said
    assert "\n> Pizza is nine euros." in said
    assert await warnings(tenant, created.json()["id"]) == []


@pytest.mark.parametrize("method", ["PATCH", "PUT"])
async def test_a_changed_agent_knows_what_its_new_pages_say(
    tenant: TenantClient, site: Website, method: str
) -> None:
    agent_id = await tenant.agent()
    body = knowing(f"{site.base_url}/menu")
    await tenant.request(method, f"/v1/agents/{agent_id}", json=body)
    assert "> Pizza is nine euros." in await prompt(tenant, agent_id)


async def test_flat_keys_are_fetched_too(tenant: TenantClient, site: Website) -> None:
    agent_id = await tenant.agent()
    await patch(tenant, agent_id, {"knowledgeBase": [f"{site.base_url}/menu"]})
    assert "> Pizza is nine euros." in await prompt(tenant, agent_id)


@pytest.mark.parametrize(
    "body", [{"name": "New"}, {"persona": {"name": "Mia"}}, {"playbook": {"opener": "Hi."}}]
)
async def test_a_change_of_something_else_fetches_nothing(
    tenant: TenantClient, site: Website, body: dict[str, Any]
) -> None:
    agent_id = await tenant.agent(**knowing(f"{site.base_url}/menu"))
    change(site, menu=text("Pizza is ten euros."))
    await patch(tenant, agent_id, body)
    assert site.visited == ["/menu"]
    assert "nine euros" in await prompt(tenant, agent_id)


async def test_saving_the_knowledge_base_again_fetches_again(
    tenant: TenantClient, site: Website
) -> None:
    body = knowing(f"{site.base_url}/menu")
    agent_id = await tenant.agent(**body)
    before = await patch(tenant, agent_id, {})
    assert await patch(tenant, agent_id, body) == before, "nothing has changed"
    change(site, menu=text("Pizza is ten euros."))
    after = await patch(tenant, agent_id, body, **{"If-Match": before})
    assert after != before
    assert site.visited == ["/menu"] * 3
    assert "ten euros" in await prompt(tenant, agent_id)


async def test_a_page_that_does_not_answer_fails_no_save_and_is_reported(
    tenant: TenantClient, site: Website
) -> None:
    url = f"{site.base_url}/gone"
    agent_id = await tenant.agent(**knowing(url))
    [(code, message)] = await warnings(tenant, agent_id)
    assert code == "page_missing"
    assert url in message
    assert "status 404" in message
    published = await tenant.post(f"/v1/agents/{agent_id}/publish")
    assert message in [each["message"] for each in published.json()["warnings"]]

    change(site, gone=text("Here it is."))
    await patch(tenant, agent_id, knowing(url))
    assert await warnings(tenant, agent_id) == []
    assert "> Here it is." in await prompt(tenant, agent_id)


async def test_a_page_that_stops_answering_leaves_its_text(
    tenant: TenantClient, site: Website
) -> None:
    body = knowing(f"{site.base_url}/menu")
    agent_id = await tenant.agent(**body)
    change(site)
    await patch(tenant, agent_id, body)
    assert "nine euros" in await prompt(tenant, agent_id)
    [(code, message)] = await warnings(tenant, agent_id)
    assert code == "page_outdated"
    assert "status 404" in message


async def test_the_audit_log_says_that_a_page_has_changed(
    tenant: TenantClient, site: Website, database: Database
) -> None:
    body = knowing(f"{site.base_url}/menu")
    agent_id = await tenant.agent(**body)
    change(site, menu=text("Pizza is ten euros."))
    await patch(tenant, agent_id, body)
    async with database.tenant_session(tenant.tenant_id) as session:
        entry = await session.scalar(select(AuditEntry).where(AuditEntry.action == "agent.updated"))
    assert entry is not None
    assert entry.changes == {"fields": ["knowledge_pages"]}


async def test_a_prompt_has_room_for_so_much_and_publishing_says_what_was_left_out(
    tenant: TenantClient, site: Website
) -> None:
    change(site, **{f"p{n}": text(f"Sentence of page {n}. " * 2_000) for n in range(4)})
    urls = [f"{site.base_url}/p{n}" for n in range(4)]
    agent_id = await tenant.agent(**knowing(*urls))
    lines = (await prompt(tenant, agent_id)).splitlines()
    quoted = [line.removeprefix("> ") for line in lines if line.startswith("> ")]
    assert 39_900 < sum(map(len, quoted)) <= 40_000
    assert [line[-19:] for line in quoted] == ["Sentence of page 0.", "Sentence of page 1."]
    codes = [code for code, _ in await warnings(tenant, agent_id)]
    assert codes == ["page_cut", "page_cut", "page_missing", "page_missing"]


async def test_an_address_that_is_taken_out_takes_its_text_along(
    tenant: TenantClient, site: Website, database: Database
) -> None:
    agent_id = await tenant.agent(**knowing(f"{site.base_url}/menu"))
    await patch(tenant, agent_id, knowing("We have parking."))
    assert "nine euros" not in await prompt(tenant, agent_id)
    assert await stored(database, tenant, agent_id) == ([], await prompt(tenant, agent_id))


async def stored(
    database: Database, tenant: TenantClient, agent_id: UUID
) -> tuple[list[dict[str, Any]], str]:
    async with database.tenant_session(tenant.tenant_id) as session:
        row = await session.execute(
            select(Agent.knowledge_pages, Agent.compiled_prompt).where(Agent.id == agent_id)
        )
        pages, prompt = row.one()
        return pages, prompt


async def test_only_the_first_pages_are_fetched(tenant: TenantClient, site: Website) -> None:
    change(site, **{f"p{number}": text(f"Fact {number}.") for number in range(MOST_PAGES + 1)})
    urls = [f"{site.base_url}/p{number}" for number in range(MOST_PAGES + 1)]
    agent_id = await tenant.agent(**knowing(*urls))
    assert len(site.visited) == MOST_PAGES
    [(code, message)] = await warnings(tenant, agent_id)
    assert (code, urls[-1] in message) == ("page_missing", True)
    assert f"Only the first {MOST_PAGES} addresses" in message


async def test_pages_count_towards_the_tenants_limit(
    app: FastAPI, tenant: TenantClient, other_tenant: TenantClient, site: Website
) -> None:
    app.state.settings = app.state.settings.model_copy(update={"agent_builder_per_minute": 2})
    body = knowing(*(f"{site.base_url}/menu?{number}" for number in range(3)))
    agent_id = await tenant.agent(**body)
    assert len(site.visited) == 2
    [(code, message)] = await warnings(tenant, agent_id)
    assert code == "page_missing"
    assert "The limit of 2 pages and other requests to the agent builder a minute" in message
    assert (await tenant.post("/v1/agents/chat/answer", {"question": "Hi?"})).status_code == 429
    await other_tenant.agent(**knowing(f"{site.base_url}/menu"))
    assert len(site.visited) == 3


async def test_only_so_many_pages_of_a_tenant_are_fetched_at_once(
    app: FastAPI, tenant: TenantClient, site: Website
) -> None:
    app.state.builder_requests = at_once = RequestsAtOnce(2)
    change(site, menu=WebPage(b"Pizza.", "text/plain", delay_seconds=0.05))
    urls = [f"{site.base_url}/menu?{number}" for number in range(4)]
    with at_once.one_more(tenant.tenant_id):
        with at_once.one_more(tenant.tenant_id):
            agent_id = await tenant.agent(**knowing(*urls))
        assert site.visited == []
        assert len(await warnings(tenant, agent_id)) == 4
        assert all(
            "at once was reached" in message for _, message in await warnings(tenant, agent_id)
        )
        await patch(tenant, agent_id, knowing(*urls))
    assert (len(site.visited), site.most_at_once) == (4, 1)
    with at_once.one_more(tenant.tenant_id), at_once.one_more(tenant.tenant_id):
        """Every slot was given back."""


async def test_a_repeated_request_fetches_nothing(
    tenant: TenantClient, site: Website, database: Database
) -> None:
    body = {"name": "Desk"} | knowing(f"{site.base_url}/menu")
    headers = tenant.headers | {"Idempotency-Key": "monday"}
    answers = [
        (await tenant.http.post("/v1/agents", headers=headers, json=body)).json() for _ in range(2)
    ]
    assert answers[0] == answers[1]
    assert site.visited == ["/menu"]
    async with database.tenant_session(tenant.tenant_id) as session:
        assert await session.scalar(select(func.count()).select_from(Agent)) == 1


async def test_no_database_connection_waits_for_a_page(
    app: FastAPI, tenant: TenantClient, site: Website, monkeypatch: pytest.MonkeyPatch
) -> None:
    agent_id = await tenant.agent()
    in_use = list[int]()
    answer = site._answer

    async def counted(request: Any) -> Any:
        in_use.append(connections_in_use(app))
        return await answer(request)

    monkeypatch.setattr(site, "_answer", counted)
    async with site.serving():
        body = knowing(f"{site.base_url}/menu")
        await tenant.agent(**body)
        await patch(tenant, agent_id, body)
    assert in_use == [0, 0]


async def test_a_stale_etag_is_refused_and_changes_no_page(
    tenant: TenantClient, site: Website
) -> None:
    body = knowing(f"{site.base_url}/menu")
    agent_id = await tenant.agent(**body)
    change(site, menu=text("Pizza is ten euros."))
    answer = await tenant.http.patch(
        f"/v1/agents/{agent_id}", headers=tenant.headers | {"If-Match": '"0"'}, json=body
    )
    assert answer.status_code == 412
    assert "nine euros" in await prompt(tenant, agent_id)


async def test_saves_at_the_same_time_keep_the_pages_of_the_last_one(
    tenant: TenantClient, site: Website
) -> None:
    change(site, one=text("One fact."), two=text("Another fact."))
    agent_id = await tenant.agent()
    await asyncio.gather(
        *(patch(tenant, agent_id, knowing(f"{site.base_url}/{path}")) for path in ("one", "two"))
    )
    answer = (await tenant.get(f"/v1/agents/{agent_id}")).json()
    [url] = answer["persona"]["knowledgeBase"]
    expected = "One fact." if url.endswith("one") else "Another fact."
    assert f"> {expected}" in answer["compiled_prompt"]
    assert await warnings(tenant, agent_id) == []


async def plan_of_a_call(
    database: Database, tenant: TenantClient, agent_id: UUID, **fields: Any
) -> CallPlan:
    created = await create_call(tenant, agent_id, **fields)
    async with database.tenant_session(tenant.tenant_id) as session:
        document = await session.scalar(select(Call.plan).where(Call.id == UUID(created["id"])))
    return CallPlan.model_validate(document)


async def test_a_call_runs_the_text_that_publishing_froze(
    tenant: TenantClient, site: Website, database: Database
) -> None:
    body = knowing(f"{site.base_url}/menu", "For {{ name }}.")
    agent_id = await tenant.published_agent(supported_languages=["en-US", "en-GB"], **body)
    change(site, menu=text("Pizza is {{ name }} euros."))
    await patch(tenant, agent_id, body)

    for locale in ("en-US", "en-GB"):
        plan = await plan_of_a_call(
            database, tenant, agent_id, locale=locale, variables={"name": "Ann"}
        )
        assert "> Pizza is nine euros.\n- For Ann." in plan.compiled_prompt
        assert plan.agent.persona.knowledge_base[0] == "Pizza is nine euros."

    await tenant.post(f"/v1/agents/{agent_id}/publish")
    plan = await plan_of_a_call(database, tenant, agent_id, variables={"name": "Ann"})
    assert "> Pizza is {{ name }} euros.\n- For Ann." in plan.compiled_prompt
    difference = await tenant.get(f"/v1/agents/{agent_id}/versions/1/diff/2")
    assert [(each["from"], each["to"]) for each in difference.json()["changes"]] == [
        ("Pizza is nine euros.", "Pizza is {{ name }} euros.")
    ]


async def test_a_restored_draft_has_the_text_of_its_version(
    tenant: TenantClient, site: Website
) -> None:
    body = knowing(f"{site.base_url}/menu")
    agent_id = await tenant.published_agent(**body)
    before = await prompt(tenant, agent_id)
    change(site, menu=text("Pizza is ten euros."))
    await patch(tenant, agent_id, body)
    path = f"/v1/agents/{agent_id}/versions/1/roll-back"
    assert (await tenant.post(path, {"restore_draft": True})).status_code == 200
    assert await prompt(tenant, agent_id) == before
    assert site.visited == ["/menu"] * 2


async def test_a_copy_has_the_pages_of_its_original(tenant: TenantClient, site: Website) -> None:
    agent_id = await tenant.agent(**knowing(f"{site.base_url}/menu"))
    copy = (await tenant.post(f"/v1/agents/{agent_id}/clone")).json()["id"]
    assert "> Pizza is nine euros." in await prompt(tenant, copy)
    assert await warnings(tenant, copy) == []
    assert site.visited == ["/menu"]


async def test_a_deleted_agent_keeps_nothing_of_its_pages(
    tenant: TenantClient, site: Website, database: Database
) -> None:
    agent_id = await tenant.agent(**knowing(f"{site.base_url}/menu"))
    pages, _ = await stored(database, tenant, agent_id)
    assert [page["text"] for page in pages] == ["Pizza is nine euros."]
    assert (await tenant.request("DELETE", f"/v1/agents/{agent_id}")).status_code == 200
    assert await stored(database, tenant, agent_id) == ([], "")


async def test_a_preview_has_the_pages_that_are_stored_and_fetches_none(
    tenant: TenantClient, site: Website
) -> None:
    agent_id = await tenant.agent(**knowing(f"{site.base_url}/menu"))
    url = f"{site.base_url}/other"
    body = {"agent_id": str(agent_id)} | knowing(f"{site.base_url}/menu", url)
    preview = (await tenant.post("/v1/agents/compile-prompt", body)).json()
    assert "> Pizza is nine euros." in preview["compiled_prompt"]
    report = (await tenant.post("/v1/agents/validate-publish", body)).json()
    [missing] = [each for each in report["warnings"] if each["code"] == "page_missing"]
    assert missing["message"] == f"The text of {url} is not in the prompt. It was not fetched yet."
    assert site.visited == ["/menu"]


@pytest.mark.parametrize(
    "persona",
    [None, 1, [], {"knowledgeBase": 1}, {"knowledgeBase": [1, None, {}]}, {"knowledgeBase": "x"}],
)
async def test_what_is_no_knowledge_base_is_left_to_validation(
    tenant: TenantClient, site: Website, persona: Any
) -> None:
    answer = await tenant.post("/v1/agents", {"name": "Desk", "persona": persona})
    assert answer.status_code in (201, 400)
    assert site.visited == []

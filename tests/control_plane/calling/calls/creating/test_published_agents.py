"""What is kept of published versions in memory is what is published."""

from __future__ import annotations

from uuid import UUID

import pytest
from sqlalchemy import select

from control_plane.building.agents.models import AgentVersion
from control_plane.calling.calls.creating.published_agent import PublishedAgents
from control_plane.calling.calls.models import Call
from control_plane.platform.database import Database
from tests.control_plane.conftest import TenantClient
from tests.control_plane.conversation import create_call


async def version_of(database: Database, tenant: TenantClient, agent_id: UUID) -> AgentVersion:
    async with database.tenant_session(tenant.tenant_id) as session:
        return (
            await session.scalars(select(AgentVersion).where(AgentVersion.agent_id == agent_id))
        ).one()


async def prompt_of(database: Database, tenant: TenantClient, call_id: str) -> str:
    async with database.tenant_session(tenant.tenant_id) as session:
        plan = await session.scalar(select(Call.plan).where(Call.id == UUID(call_id)))
    assert plan is not None
    prompt: str = plan["compiled_prompt"]
    return prompt


async def test_a_version_is_read_once_and_the_least_used_is_let_go(
    tenant: TenantClient, database: Database
) -> None:
    agents = [await tenant.published_agent(name=name) for name in ("One", "Two")]
    versions = [await version_of(database, tenant, agent_id) for agent_id in agents]
    cache = PublishedAgents(size=1)
    async with database.tenant_session(tenant.tenant_id) as session:

        async def read(index: int) -> object:
            version = versions[index]
            return await cache.version(
                session, tenant.tenant_id, version.agent_id, version.version, version.digest
            )

        one = await read(0)
        assert await read(0) is one
        await read(1)
        assert await read(0) is not one


async def test_a_new_version_is_what_the_next_call_runs(
    tenant: TenantClient, database: Database
) -> None:
    agent_id = await tenant.published_agent(system_prompt="First")
    first = await create_call(tenant, agent_id)
    await tenant.request("PATCH", f"/v1/agents/{agent_id}", json={"system_prompt": "Second"})
    assert (await tenant.post(f"/v1/agents/{agent_id}/publish")).status_code == 200
    second = await create_call(tenant, agent_id)
    assert "First" in await prompt_of(database, tenant, first["id"])
    assert "Second" in await prompt_of(database, tenant, second["id"])


async def test_calls_with_different_variables_have_prompts_of_their_own(
    tenant: TenantClient, database: Database
) -> None:
    agent_id = await tenant.published_agent(system_prompt="You call {{ name }}.")
    for name in ("Ada", "Bo"):
        made = await create_call(tenant, agent_id, variables={"name": name})
        assert f"You call {name}." in await prompt_of(database, tenant, made["id"])


async def test_an_agent_without_placeholders_has_one_prompt(
    tenant: TenantClient, database: Database
) -> None:
    agent_id = await tenant.published_agent(system_prompt="You call everybody.")
    for variables in ({}, {"name": "Ada"}):
        made = await create_call(tenant, agent_id, variables=variables)
        assert "You call everybody." in await prompt_of(database, tenant, made["id"])


async def test_variables_that_are_missing_are_named_in_the_calls_log(tenant: TenantClient) -> None:
    agent_id = await tenant.published_agent(playbook={"opener": "Hello {{ name }} of {{ firm }}!"})
    made = await create_call(tenant, agent_id, variables={"name": "Ada"})
    events = (await tenant.get(f"/v1/calls/{made['id']}/events")).json()["events"]
    assert [event["message"] for event in events] == [
        "Call created",
        "The call was created without variables that the agent's texts need: firm",
    ]
    assert [event["level"] for event in events] == ["info", "warning"]


@pytest.mark.parametrize(
    ("system_prompt", "at_once"),
    [
        ("You call {{ name }}.", True),
        ("You call {% for each in names %}{{ each }}{% endfor %}.", False),
        ("You call {{ name }}. " * 300, False),
        ("You call nobody.", True),
    ],
)
async def test_only_short_texts_without_logic_are_filled_in_on_the_loop(
    system_prompt: str, at_once: bool, tenant: TenantClient, database: Database
) -> None:
    agent_id = await tenant.agent(system_prompt=system_prompt)
    answer = await tenant.post(f"/v1/agents/{agent_id}/publish", {"accept_limited": True})
    assert answer.status_code == 200, answer.text
    version = await version_of(database, tenant, agent_id)
    async with database.tenant_session(tenant.tenant_id) as session:
        published = await PublishedAgents().version(
            session, tenant.tenant_id, agent_id, version.version, version.digest
        )
    assert published.is_filled_at_once is at_once

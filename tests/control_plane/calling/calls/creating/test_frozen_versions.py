"""A call runs what publishing froze: the compiled prompt and the stack of the version."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import select

from contracts.call_plan import CallPlan
from control_plane.building.agents import repository
from control_plane.building.agents.publishing.snapshot import Snapshot, read_snapshot
from control_plane.calling.calls.models import Call
from control_plane.platform.database import Database
from pipelines.texts import prompt
from tests.control_plane.conftest import OPERATOR, TenantClient
from tests.control_plane.conversation import create_call

HIBARI, ESPEAK = "hibari-en", "espeak"
MODELS = "/v1/operator/catalogue/models"


async def plan_of_a_call(
    database: Database, tenant: TenantClient, agent_id: UUID, **fields: Any
) -> CallPlan:
    created = await create_call(tenant, agent_id, **fields)
    async with database.tenant_session(tenant.tenant_id) as session:
        document = await session.scalar(select(Call.plan).where(Call.id == UUID(created["id"])))
    return CallPlan.model_validate(document)


async def republished(
    database: Database,
    tenant: TenantClient,
    agent_id: UUID,
    change: Callable[[Snapshot], Snapshot],
) -> None:
    """The next version: the first with ``change``, as another build could have frozen it."""
    async with database.tenant_session(tenant.tenant_id) as session:
        agent = await repository.find(session, tenant.tenant_id, agent_id, for_update=True)
        version = await repository.find_version(session, tenant.tenant_id, agent_id, 1)
        assert agent is not None
        assert version is not None
        changed = change(read_snapshot(version.snapshot))
        await repository.next_version(session, agent, changed.text)


async def test_a_call_has_the_prompt_that_publishing_froze(
    tenant: TenantClient, database: Database
) -> None:
    agent_id = await tenant.published_agent(playbook={"opener": "Hello."})
    await republished(
        database, tenant, agent_id, lambda was: replace(was, compiled_prompt="Frozen before.")
    )
    plan = await plan_of_a_call(database, tenant, agent_id)
    assert (plan.agent_version, plan.compiled_prompt) == (2, "Frozen before.")


async def test_variables_are_filled_into_the_prompt_that_publishing_froze(
    tenant: TenantClient, database: Database
) -> None:
    agent_id = await tenant.published_agent(playbook={"opener": "Hello {{ name }}."})
    await republished(
        database,
        tenant,
        agent_id,
        lambda was: Snapshot(
            was.config,
            was.provider_config,
            was.compiled_prompt,
            {
                "sections": [
                    {
                        "title": "Words of another build",
                        "lines": [["Say: ", {"field": "playbook.opener", "text": "{{ name }}!"}]],
                    }
                ]
            },
        ),
    )
    plan = await plan_of_a_call(database, tenant, agent_id, variables={"name": "Ada"})
    assert plan.compiled_prompt == "# Words of another build\nSay: Ada!"


async def prefer(tenant: TenantClient, model: str) -> None:
    """Give the model the best rank of the catalogue."""
    listed = (await tenant.http.get(MODELS, headers=OPERATOR)).json()["models"]
    [entry] = [each for each in listed if each["model"] == model]
    entry.pop("edited_at")
    answer = await tenant.http.put(MODELS, headers=OPERATOR, json=entry | {"rank": 0})
    assert answer.status_code == 200, answer.text


async def test_a_better_model_in_the_catalogue_changes_no_version_that_is_published(
    tenant: TenantClient, database: Database
) -> None:
    agent_id = await tenant.published_agent()
    await prefer(tenant, ESPEAK)
    plan = await plan_of_a_call(database, tenant, agent_id)
    assert plan.stack.tts.primary.model == HIBARI
    await tenant.post(f"/v1/agents/{agent_id}/publish")
    plan = await plan_of_a_call(database, tenant, agent_id)
    assert plan.stack.tts.primary.model == ESPEAK


async def test_a_frozen_stack_that_cannot_run_any_more_is_resolved_again(
    tenant: TenantClient, database: Database
) -> None:
    agent_id = await tenant.published_agent()
    off = {"provider": "local", "model": HIBARI, "is_active": False}
    answer = await tenant.http.patch(MODELS, headers=OPERATOR, json=off)
    assert answer.status_code == 200, answer.text
    plan = await plan_of_a_call(database, tenant, agent_id)
    assert plan.stack.tts.primary.model == ESPEAK


async def test_each_write_compiles_the_prompt_once_and_a_call_does_not(
    tenant: TenantClient, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    compiled: list[str] = []
    sections = prompt._sections

    def counted(agent: Any, pages: Any, **options: Any) -> Any:
        compiled.append(agent.name)
        return sections(agent, pages, **options)

    monkeypatch.setattr(prompt, "_sections", counted)

    async def compilations(doing: Any) -> int:
        compiled.clear()
        await doing
        return len(compiled)

    assert await compilations(tenant.agent()) == 1
    agent_id = await tenant.agent(playbook={"opener": "Hello {{ name }}."})
    path = f"/v1/agents/{agent_id}"
    assert await compilations(tenant.request("PATCH", path, json={"name": "Desk"})) == 1
    assert await compilations(tenant.post(f"{path}/publish")) == 1
    assert await compilations(create_call(tenant, agent_id, variables={"name": "Bo"})) == 0
    assert await compilations(tenant.post(f"{path}/versions/1/roll-back")) == 0
    assert await compilations(create_call(tenant, agent_id)) == 0

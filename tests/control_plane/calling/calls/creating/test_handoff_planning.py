"""The plan of a call carries every agent that can take over in it."""

from __future__ import annotations

import itertools
from uuid import UUID

from sqlalchemy import select

from contracts.call_plan import MAX_AGENTS, CallPlan
from control_plane.building.agents import repository
from control_plane.calling.calls.models import Call, CallLogEntry
from control_plane.calling.pauses.models import AgentPause
from control_plane.platform.database import Database
from control_plane.platform.settings import ControlPlaneSettings
from tests.control_plane.building.catalogue.costs import charge_for_the_playbook
from tests.control_plane.conftest import TenantClient
from tests.control_plane.handoffs import hand_over, own_openai_key


async def planned_call(
    tenant: TenantClient, database: Database, agent_id: UUID, **fields: object
) -> tuple[CallPlan, list[str]]:
    """The plan of a new call, and the warnings in its event log."""
    wanted = {
        "agent_id": str(agent_id),
        "participants": [{"transport": "webrtc", "identity": "caller"}],
    }
    answer = await tenant.post("/v1/calls", wanted | fields)
    assert answer.status_code == 201, answer.text
    call_id = UUID(answer.json()["id"])
    async with database.tenant_session(tenant.tenant_id) as session:
        document = await session.scalar(select(Call.plan).where(Call.id == call_id))
        lines = await session.scalars(
            select(CallLogEntry.message)
            .where(CallLogEntry.call_id == call_id, CallLogEntry.level == "warning")
            .order_by(CallLogEntry.position)
        )
        return CallPlan.model_validate(document), list(lines)


def agents_of(plan: CallPlan) -> list[UUID]:
    return list(plan.agents)


async def test_agents_that_hand_over_in_a_circle_are_all_in_the_plan(
    tenant: TenantClient, database: Database
) -> None:
    desk, sales, billing = [await tenant.published_agent(name=name) for name in "ABC"]
    await hand_over(tenant, billing, desk)
    await hand_over(tenant, sales, billing)
    await hand_over(tenant, desk, sales)
    plan, warnings = await planned_call(tenant, database, desk)
    assert agents_of(plan) == [desk, sales, billing]
    assert [each.name for each in plan.handoffs] == ["B", "C"]
    assert warnings == []


async def test_a_plan_without_handoffs_reads_as_before(
    tenant: TenantClient, database: Database
) -> None:
    plan, _ = await planned_call(tenant, database, await tenant.published_agent())
    assert "handoffs" not in plan.model_dump_json()


async def test_the_published_version_takes_over_with_the_calls_variables(
    tenant: TenantClient,
    database: Database,
    settings: ControlPlaneSettings,
) -> None:
    sealed = await own_openai_key(tenant, database, settings)
    await charge_for_the_playbook(database)
    sales = await tenant.published_agent(
        name="Sales",
        system_prompt="You sell to {{ customer }}.",
        advanced={"prompt_mode": "raw"},
        llm_provider="openai",
        llm_model="gpt-4o",
    )
    await tenant.request("PATCH", f"/v1/agents/{sales}", json={"name": "Unpublished change"})
    desk = await tenant.agent(llm_provider="local")
    await hand_over(tenant, desk, sales)
    plan, _ = await planned_call(tenant, database, desk, variables={"customer": "Ann"})
    [planned] = plan.handoffs
    assert (planned.name, planned.agent_version) == ("Sales", 1)
    assert "You sell to Ann." in planned.compiled_prompt
    assert planned.stack.llm.primary.provider == "openai"
    assert plan.sealed_provider_keys == {"openai": sealed}
    own = {row.component: row.micros_per_minute for row in planned.prices}
    assert own["llm"] == 0
    assert planned.rate_micros_per_minute < plan.rate_micros_per_minute
    assert plan.highest_rate_micros_per_minute == plan.rate_micros_per_minute


async def test_an_agent_that_does_not_speak_the_calls_language_speaks_its_own(
    tenant: TenantClient, database: Database, settings: ControlPlaneSettings
) -> None:
    await own_openai_key(tenant, database, settings)
    english = await tenant.published_agent(name="English")
    both = await tenant.published_agent(name="Both", supported_languages=["en-US", "de-DE"])
    desk = await tenant.agent(supported_languages=["en-US", "de-DE"])
    await hand_over(tenant, desk, english, both)
    plan, _ = await planned_call(tenant, database, desk, locale="de-DE")
    assert [each.locale for each in plan.handoffs] == ["en-US", "de-DE"]


async def test_a_call_goes_on_without_agents_that_cannot_take_over(
    tenant: TenantClient, database: Database
) -> None:
    paused, deleted = [await tenant.published_agent(name=name) for name in ("Paused", "Gone")]
    unpublished = await tenant.agent(name="Draft")
    desk = await tenant.agent(name="Desk")
    await hand_over(tenant, desk, paused, deleted, unpublished)
    await tenant.request("DELETE", f"/v1/agents/{deleted}")
    async with database.system_session() as session:
        session.add(AgentPause(agent_id=paused, tenant_id=tenant.tenant_id, reason="Complaints"))
    plan, warnings = await planned_call(tenant, database, desk)
    assert plan.handoffs == ()
    assert warnings == [
        "Desk is not offered the tool to_0: Paused is paused by the operator",
        "Desk is not offered the tool to_1: its agent is not one of your agents any more",
        "Desk is not offered the tool to_2: Draft has never been published",
    ]


async def test_an_agent_of_another_tenant_never_takes_over(
    tenant: TenantClient, other_tenant: TenantClient, database: Database
) -> None:
    sales = await tenant.published_agent(name="Sales")
    desk = await tenant.agent(name="Desk")
    await hand_over(tenant, desk, sales)
    foreign = await other_tenant.published_agent()
    async with database.tenant_session(tenant.tenant_id) as session:
        agent = await repository.find(session, tenant.tenant_id, desk, for_update=True)
        version = await repository.find_published(session, tenant.tenant_id, desk)
        assert agent is not None
        assert version is not None
        snapshot = version.snapshot.replace(str(sales), str(foreign))
        await repository.next_version(session, agent, snapshot)
    plan, warnings = await planned_call(tenant, database, desk)
    assert plan.handoffs == ()
    assert len(warnings) == 1


async def test_an_agent_whose_stack_cannot_run_is_left_out(
    tenant: TenantClient, database: Database, settings: ControlPlaneSettings
) -> None:
    await own_openai_key(tenant, database, settings)
    sales = await tenant.published_agent(name="Sales", tts_provider="openai", language="fi-FI")
    desk = await tenant.agent(name="Desk")
    await hand_over(tenant, desk, sales)
    answer = await tenant.request("DELETE", "/v1/provider-keys/openai")
    assert answer.status_code in (200, 204), answer.text
    plan, warnings = await planned_call(tenant, database, desk)
    assert plan.handoffs == ()
    [warning] = warnings
    assert warning.startswith("Desk is not offered the tool to_0: Sales has no ")


async def test_no_more_than_the_bound_can_talk(tenant: TenantClient, database: Database) -> None:
    agents = [await tenant.published_agent(name=f"Agent {n}") for n in range(MAX_AGENTS + 1)]
    for agent, following in itertools.pairwise(agents):
        await hand_over(tenant, agent, following)
    # Published bottom up, no agent reached too many; the first one does now.
    plan, warnings = await planned_call(tenant, database, agents[0])
    assert agents_of(plan) == agents[:MAX_AGENTS]
    assert warnings == [
        f"Agent {MAX_AGENTS - 1} is not offered the tool to_0: more than {MAX_AGENTS} agents could "
        "talk in this call"
    ]


async def test_a_stranger_may_set_the_variables_of_every_agent(
    tenant: TenantClient, database: Database
) -> None:
    sales = await tenant.published_agent(
        name="Sales", system_prompt="Sell to {{ customer }}.", advanced={"prompt_mode": "raw"}
    )
    desk = await tenant.agent()
    await hand_over(tenant, desk, sales)
    key = await tenant.publishable_key()
    wanted = {
        "agent_id": str(desk),
        "participants": [{"transport": "webrtc", "identity": "caller"}],
        "variables": {"customer": "Ann"},
    }
    allowed = await tenant.http.post("/v1/calls", headers=key, json=wanted)
    assert allowed.status_code == 201, allowed.text
    wanted["variables"] = {"unknown": "x"}
    refused = await tenant.http.post("/v1/calls", headers=key, json=wanted)
    assert refused.status_code == 403

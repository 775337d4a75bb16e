from __future__ import annotations

from uuid import UUID

import pytest

from contracts.agent_config import AgentConfig
from contracts.call_plan import CallPlan, PlannedAgent, PriceRow
from contracts.versions import read_json
from tests.pipelines.plans import LOCAL_STACK, call_plan

DESK, SALES = UUID(int=3), UUID(int=30)


def price(micros_per_minute: int) -> tuple[PriceRow, ...]:
    row = PriceRow(
        price_id=UUID(int=1),
        component="platform",
        provider="p",
        model="m",
        micros_per_minute=micros_per_minute,
    )
    return (row, row)


@pytest.fixture
def plan() -> CallPlan:
    sales = PlannedAgent(
        agent_id=SALES,
        agent_version=7,
        agent=AgentConfig(name="Sales"),
        compiled_prompt="Sell.",
        locale="de-DE",
        stack=LOCAL_STACK,
        prices=price(30_000),
    )
    plan = call_plan(AgentConfig(name="Desk"), variables={"customer": "Ann"})
    return plan.model_copy(update={"prices": price(10_000), "handoffs": (sales,)})


def test_a_plan_run_by_another_agent_is_all_that_agents_own(plan: CallPlan) -> None:
    other = plan.run_by(SALES)
    assert (other.agent_id, other.agent_version, other.agent.name) == (SALES, 7, "Sales")
    assert (other.compiled_prompt, other.locale) == ("Sell.", "de-DE")
    assert other.rate_micros_per_minute == 60_000
    assert (other.variables, other.limits) == (plan.variables, plan.limits)


def test_every_agent_of_a_plan_can_be_reached_from_every_other(plan: CallPlan) -> None:
    assert list(plan.agents) == [DESK, SALES]
    assert list(plan.run_by(SALES).agents) == [SALES, DESK]
    assert plan.run_by(SALES).run_by(DESK) == plan
    with pytest.raises(KeyError):
        plan.run_by(UUID(int=99))


def test_credit_is_held_at_the_highest_rate_whichever_agent_begins(plan: CallPlan) -> None:
    assert plan.rate_micros_per_minute == 20_000
    assert plan.highest_rate_micros_per_minute == 60_000
    assert plan.run_by(SALES).highest_rate_micros_per_minute == 60_000
    alone = plan.model_copy(update={"handoffs": ()})
    assert alone.highest_rate_micros_per_minute == 20_000


def test_a_plan_is_read_as_it_was_written(plan: CallPlan) -> None:
    assert read_json(CallPlan, plan.model_dump_json(by_alias=True)) == plan

from __future__ import annotations

from uuid import uuid4

from hypothesis import given
from hypothesis import strategies as st

from contracts.call_plan import PlannedAgent, PriceRow
from control_plane.calling.call_costs.cost_parts import CostPart, cost_parts
from control_plane.calling.calls.ending.bill import billed
from control_plane.calling.calls.ending.served_agents import ServedAgent, tariff_of

PIPELINE = {"stt": 4_000, "llm": 6_000, "tts": 10_000, "platform": 20_000}


def agent(rates: dict[str, int]) -> PlannedAgent:
    rows = tuple(
        PriceRow.model_validate(
            {
                "price_id": uuid4(),
                "component": component,
                "provider": "p",
                "model": component,
                "micros_per_minute": rate,
            }
        )
        for component, rate in rates.items()
    )
    # Only its prices count here.
    return PlannedAgent.model_construct(agent_id=uuid4(), prices=rows)


def parts_of(
    agents: list[dict[str, int]], actual: dict[str, int | None], seconds: int = 60
) -> list[CostPart]:
    served = tuple(ServedAgent(agent(rates), 10_000 * at) for at, rates in enumerate(agents))
    return cost_parts(billed(served, seconds, tariff_of(served).charge_micros(seconds)), actual)


def test_each_channel_has_its_price_as_planned_and_its_own_actual_cost() -> None:
    parts = parts_of([PIPELINE], {"stt": 1, "llm": 2, "tts": 3})
    assert [
        (each.component, each.planned_cost_micros, each.actual_cost_micros) for each in parts
    ] == [
        ("stt", 4_000, 1),
        ("llm", 6_000, 2),
        ("tts", 10_000, 3),
        ("platform", 0, 0),
    ]


def test_a_managed_sku_or_a_realtime_model_bears_every_channel() -> None:
    [sku] = parts_of([{"managed_sku": 50_000}], {"stt": 1, "llm": 2, "tts": 3})
    assert (sku.planned_cost_micros, sku.actual_cost_micros) == (0, 6)
    realtime, fee = parts_of([{"llm": 30_000, "platform": 20_000}], {"stt": 1, "llm": 2, "tts": 3})
    assert (realtime.actual_cost_micros, fee.actual_cost_micros) == (6, 0)


def test_an_unknown_cost_is_told_where_it_would_be() -> None:
    parts = parts_of([PIPELINE], {"stt": 1, "llm": None, "tts": 3})
    assert [each.component for each in parts if each.is_cost_unknown] == ["llm"]


_COST = st.one_of(st.none(), st.integers(0, 10**9))


@given(
    agents=st.lists(
        st.dictionaries(st.sampled_from(list(PIPELINE)), st.integers(0, 10**6), min_size=1).map(
            lambda rates: rates | {"platform": 20_000}
        ),
        min_size=1,
        max_size=3,
    ),
    actual=st.fixed_dictionaries({"stt": _COST, "llm": _COST, "tts": _COST}),
    increments=st.integers(1, 20),
)
def test_the_parts_add_up_to_the_charge_and_to_what_is_known_of_the_costs(
    agents: list[dict[str, int]], actual: dict[str, int | None], increments: int
) -> None:
    parts = parts_of(agents, actual, 30 * increments)
    served = tuple(ServedAgent(agent(rates), 10_000 * at) for at, rates in enumerate(agents))
    assert sum(each.revenue_micros for each in parts) == tariff_of(served).charge_micros(
        30 * increments
    )
    components = {component for rates in agents for component in rates}
    borne = sum(
        cost or 0
        for channel, cost in actual.items()
        if channel in components or "llm" in components
    )
    assert sum(each.actual_cost_micros for each in parts) == borne
    assert sum(each.calls_begun for each in parts) == 1

"""The parts of a charge, without a database."""

from __future__ import annotations

from uuid import uuid4

from hypothesis import given
from hypothesis import strategies as st

from contracts.call_plan import PlannedAgent, PriceRow
from control_plane.calling.calls.ending.bill import billed
from control_plane.calling.calls.ending.served_agents import ServedAgent, tariff_of


def agent(*rates: int) -> PlannedAgent:
    rows = tuple(
        PriceRow(price_id=uuid4(), component="llm", provider="p", model="m", micros_per_minute=rate)
        for rate in rates
    )
    # Only its prices count here.
    return PlannedAgent.model_construct(agent_id=uuid4(), prices=rows)


def test_each_row_has_the_part_of_its_rate() -> None:
    served = (ServedAgent(agent(1_000, 0, 3_000), 0),)
    [only] = billed(served, 60, 4_000)
    assert (only.billed_ms, only.charged_micros) == (60_000, 4_000)
    assert [priced.charged_micros for priced in only.rows] == [1_000, 0, 3_000]


def test_each_agent_has_the_part_of_its_time() -> None:
    served = (ServedAgent(agent(6_000), 0), ServedAgent(agent(12_000), 10_000))
    first, second = billed(served, 30, 5_000)
    assert (first.from_ms, first.billed_ms, first.charged_micros) == (0, 10_000, 1_000)
    assert (second.from_ms, second.billed_ms, second.charged_micros) == (10_000, 20_000, 4_000)


def test_a_call_that_runs_has_rates_and_no_amounts() -> None:
    [only] = billed((ServedAgent(agent(1_000), 0),), None, None)
    assert (only.billed_ms, only.charged_micros) == (None, None)
    assert [priced.charged_micros for priced in only.rows] == [None]


@given(
    st.lists(st.lists(st.integers(0, 10**6), min_size=1, max_size=4), min_size=1, max_size=3),
    st.integers(0, 20),
)
def test_the_parts_add_up_to_the_charge(rates: list[list[int]], increments: int) -> None:
    seconds = 30 * increments
    served = tuple(ServedAgent(agent(*each), 7_001 * at) for at, each in enumerate(rates))
    charge = tariff_of(served).charge_micros(seconds)
    found = billed(served, seconds, charge)
    assert sum(each.charged_micros or 0 for each in found) == charge
    assert sum(each.billed_ms or 0 for each in found) == seconds * 1_000

"""Charges in whole increments, and how far an amount goes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts.money import affordable_seconds, charge_micros

RATES = st.integers(1, 10_000_000)


@given(micros=st.integers(0, 10**10), rate=RATES)
def test_an_amount_pays_for_as_many_increments_as_it_covers(micros: int, rate: int) -> None:
    seconds = affordable_seconds(micros, rate)
    assert seconds is not None
    assert charge_micros(seconds, rate) <= micros < charge_micros(seconds + 30, rate)


@given(increments=st.integers(1, 1_000), rate=RATES)
def test_the_price_of_a_time_pays_for_that_time(increments: int, rate: int) -> None:
    seconds = affordable_seconds(charge_micros(increments * 30, rate), rate)
    assert seconds is not None
    assert seconds >= increments * 30


def test_what_costs_nothing_has_no_end() -> None:
    assert affordable_seconds(0, 0) is None


@pytest.mark.parametrize(("micros", "rate"), [(-1, 1), (1, -1)])
def test_negative_amounts_are_refused(micros: int, rate: int) -> None:
    with pytest.raises(ValueError, match="0 or more"):
        affordable_seconds(micros, rate)

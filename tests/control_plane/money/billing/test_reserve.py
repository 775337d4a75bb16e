from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts.money import billable_seconds, charge_micros
from control_plane.money.billing.reserve import (
    FIRST_RESERVE_SECONDS,
    RESERVE_AHEAD_MS,
    extension_micros,
    first_funded_until_ms,
    funded_until_ms,
    payable_seconds,
    reserve_seconds_wanted,
)

METER_INTERVAL_MS = 5_000


@pytest.mark.parametrize(
    ("connected_ms", "seconds"),
    [(0, 90), (25_000, 90), (25_001, 120), (55_000, 120), (55_001, 150)],
)
def test_the_reserve_stays_more_than_a_minute_ahead(connected_ms: int, seconds: int) -> None:
    assert reserve_seconds_wanted(connected_ms) == seconds


def test_nothing_is_added_while_the_reserve_suffices() -> None:
    assert extension_micros(30_000, 30, 60_000) == 0
    assert extension_micros(90_000, 60, 60_000) == 0


def test_an_extension_is_the_difference_of_the_totals() -> None:
    assert extension_micros(30_000, 60, 60_000) == 30_000
    odd_rate = 33_333
    first = charge_micros(30, odd_rate)
    assert first == 16_667
    assert extension_micros(first, 60, odd_rate) == 16_666


@given(rate=st.integers(0, 10_000_000), call_ms=st.integers(0, 7_200_000))
def test_a_metered_call_never_outgrows_its_reserve(rate: int, call_ms: int) -> None:
    held = charge_micros(FIRST_RESERVE_SECONDS, rate)
    for connected_ms in range(0, call_ms + 1, METER_INTERVAL_MS):
        held += extension_micros(held, reserve_seconds_wanted(connected_ms), rate)
    assert METER_INTERVAL_MS < RESERVE_AHEAD_MS
    assert held >= charge_micros(billable_seconds(call_ms), rate)


@given(rate=st.integers(0, 10_000_000), micros=st.integers(0, 10**9))
def test_paid_time_costs_no_more_than_there_is_and_another_increment_would(
    rate: int, micros: int
) -> None:
    until_ms = funded_until_ms(micros, rate)
    if until_ms is None:
        assert rate == 0
        return
    seconds = until_ms // 1000
    assert charge_micros(seconds, rate) <= micros < charge_micros(seconds + 30, rate)
    assert payable_seconds(seconds + 30, micros, rate) == seconds
    assert payable_seconds(seconds, micros, rate) == seconds


def test_a_call_that_costs_nothing_has_no_end_of_its_paid_time() -> None:
    assert first_funded_until_ms(0) is None
    assert first_funded_until_ms(25_000) == 30_000
    assert payable_seconds(7_200, -5, 0) == 7_200
    assert payable_seconds(30, -5, 25_000) == 0

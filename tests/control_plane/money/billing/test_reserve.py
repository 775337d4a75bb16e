from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts.money import billable_seconds, charge_micros
from control_plane.money.billing.reserve import (
    FIRST_RESERVE_SECONDS,
    RESERVE_AHEAD_MS,
    extension_micros,
    reserve_seconds_needed,
)

METER_INTERVAL_MS = 5_000


@pytest.mark.parametrize(
    ("connected_ms", "seconds"),
    [(0, 30), (15_000, 30), (15_001, 60), (45_000, 60), (45_001, 90)],
)
def test_the_reserve_stays_fifteen_seconds_ahead(connected_ms: int, seconds: int) -> None:
    assert reserve_seconds_needed(connected_ms) == seconds


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
        held += extension_micros(held, reserve_seconds_needed(connected_ms), rate)
    assert METER_INTERVAL_MS < RESERVE_AHEAD_MS
    assert held >= charge_micros(billable_seconds(call_ms), rate)

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from control_plane.money.spend_alerts.rules import (
    CRITICAL_TIMES,
    HISTORY_DAYS,
    LEAST_HOUR_MICROS,
    WARNING_TIMES,
    Alert,
    AlertSettings,
    Spending,
    TopUp,
    alerts_of,
)

NOW = datetime(2026, 3, 5, 23, 30, tzinfo=UTC)
TOPUP = TopUp(UUID(int=1), 10_000_000)
CALM = Spending(
    hour_micros=0,
    month_micros=0,
    history_micros=0,
    history_days=0,
    balance_micros=50_000_000,
    last_topup=None,
)
QUIET = AlertSettings(low_balance_pct=0)
HOURLY = 1_000_000
"""What a tenant of the tests spends in its average hour."""
USUAL = replace(CALM, history_micros=HOURLY * HISTORY_DAYS * 24, history_days=7)


def found(spending: Spending, settings: AlertSettings = QUIET) -> list[Alert]:
    return list(alerts_of(spending, settings, NOW))


def test_a_tenant_that_spends_nothing_is_not_alerted() -> None:
    assert found(CALM, AlertSettings()) == []


def test_each_threshold_that_the_month_has_reached_is_an_alert() -> None:
    settings = replace(QUIET, thresholds_micros=(1_000, 2_000, 3_000))
    alerts = found(replace(CALM, month_micros=2_000), settings)
    assert [(alert.threshold_micros, alert.amount_micros) for alert in alerts] == [
        (1_000, 2_000),
        (2_000, 2_000),
    ]
    assert len({alert.occasion for alert in alerts}) == 2


def test_a_threshold_is_reached_again_in_another_month() -> None:
    spent, settings = replace(CALM, month_micros=5), replace(QUIET, thresholds_micros=(5,))
    april = alerts_of(spent, settings, datetime(2026, 4, 1, tzinfo=UTC))
    assert {each.occasion for each in april}.isdisjoint(
        each.occasion for each in found(spent, settings)
    )


def test_a_month_that_has_just_ended_is_not_told_again() -> None:
    settings, april = replace(QUIET, thresholds_micros=(5,)), datetime(2026, 4, 1, tzinfo=UTC)
    [ended] = alerts_of(replace(CALM, last_month_micros=6), settings, april)
    [before] = found(replace(CALM, month_micros=6), settings)
    assert ended == before


@pytest.mark.parametrize(
    ("balance", "severities"),
    [(1_000_001, []), (1_000_000, ["warning"]), (0, ["critical"]), (-5, ["critical"])],
)
def test_the_balance_is_low_at_its_percentage_of_the_last_top_up(
    balance: int, severities: list[str]
) -> None:
    spending = replace(CALM, balance_micros=balance, last_topup=TOPUP)
    assert [each.severity for each in found(spending, AlertSettings())] == severities


def test_a_low_balance_is_told_once_for_each_top_up() -> None:
    low = replace(CALM, balance_micros=0, last_topup=TOPUP)
    later = replace(low, last_topup=TopUp(UUID(int=2), 1))
    settings = AlertSettings()
    assert (
        found(low, settings)[0].occasion
        == found(replace(low, balance_micros=-1), settings)[0].occasion
    )
    assert found(low, settings)[0].occasion != found(later, settings)[0].occasion


def test_zero_percent_or_no_top_up_tell_nothing_of_the_balance() -> None:
    low = replace(CALM, balance_micros=-1)
    assert found(low, AlertSettings()) == []
    assert found(replace(low, last_topup=TOPUP)) == []


@pytest.mark.parametrize(
    ("hour", "severities"),
    [
        (WARNING_TIMES * HOURLY - 1, []),
        (WARNING_TIMES * HOURLY, ["warning"]),
        (CRITICAL_TIMES * HOURLY, ["warning", "critical"]),
    ],
)
def test_an_hour_is_compared_with_the_tenants_own_average(hour: int, severities: list[str]) -> None:
    assert [each.severity for each in found(replace(USUAL, hour_micros=hour))] == severities


def test_office_hours_are_nothing_unusual() -> None:
    """A week's spending within eight hours of five days."""
    assert found(replace(USUAL, hour_micros=USUAL.history_micros // 40)) == []


def test_a_tenant_without_history_has_no_usual_hour() -> None:
    assert found(replace(USUAL, history_days=2, hour_micros=10**9)) == []


@given(history=st.integers(0, 10**12), hour=st.integers(0, LEAST_HOUR_MICROS - 1))
def test_a_cheap_hour_is_never_worth_an_alert(history: int, hour: int) -> None:
    assert found(replace(USUAL, history_micros=history, hour_micros=hour)) == []

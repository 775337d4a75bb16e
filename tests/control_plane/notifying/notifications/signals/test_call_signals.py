from __future__ import annotations

import pytest

from contracts.end_reasons import EndReason
from contracts.money import MICROS_PER_USD, REFERENCE_RATE_MICROS_PER_MINUTE
from control_plane.notifying.notifications.signals.call_signals import (
    Degradation,
    EndedCall,
    balance_level,
    degradation,
)

FINE = EndedCall("participant_disconnected", had_switch=False)
FAILED = EndedCall(EndReason.SESSION_ERROR.value, had_switch=False)
SWITCHED = EndedCall("participant_disconnected", had_switch=True)
SWITCHED_IN_VAIN = EndedCall(EndReason.SESSION_ERROR.value, had_switch=True)


def test_an_agent_is_degraded_from_three_calls_in_ten() -> None:
    assert degradation([FINE] * 7 + [FAILED, FAILED, SWITCHED]) == Degradation(10, 2, 1)
    assert degradation([FINE] * 8 + [FAILED, SWITCHED]) is None


def test_fewer_than_five_calls_say_nothing() -> None:
    assert degradation([FAILED] * 4) is None
    assert degradation([FAILED] * 5) == Degradation(5, 5, 0)


def test_a_call_that_failed_although_another_provider_went_on_is_one_call() -> None:
    assert degradation([FINE] * 8 + [SWITCHED_IN_VAIN] * 2) is None
    assert degradation([FINE] * 7 + [SWITCHED_IN_VAIN] * 3) == Degradation(10, 3, 3)


@pytest.mark.parametrize(
    ("minutes", "is_active", "level"),
    [
        (30, True, "ok"),
        (29, True, "low"),
        (5, True, "low"),
        (4, True, "critical"),
        (30, False, "critical"),
        (0, True, "depleted"),
        (-1, True, "depleted"),
    ],
)
def test_a_balance_is_low_below_half_an_hour_and_critical_below_five_minutes(
    minutes: int, is_active: bool, level: str
) -> None:
    total = minutes * REFERENCE_RATE_MICROS_PER_MINUTE
    found = balance_level(total, is_active=is_active, last_top_up_micros=None, low_percent=20)
    assert found == level


@pytest.mark.parametrize(
    ("dollars", "percent", "level"),
    [
        (21, 20, "ok"),
        (20, 20, "low"),
        (21, 60, "low"),
        (20, 0, "ok"),
        (1, 0, "low"),
        (0, 0, "depleted"),
    ],
)
def test_a_balance_is_low_at_the_percent_of_the_last_top_up_that_the_tenant_has_set(
    dollars: int, percent: int, level: str
) -> None:
    found = balance_level(
        dollars * MICROS_PER_USD,
        is_active=True,
        last_top_up_micros=100 * MICROS_PER_USD,
        low_percent=percent,
    )
    assert found == level

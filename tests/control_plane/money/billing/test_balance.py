from __future__ import annotations

import pytest

from control_plane.money.billing.balance import (
    Tone,
    credits_of,
    recent_daily_spend_usd,
    reference_minutes,
    reference_seconds,
    runway_days,
    tenant_state,
    tone,
)


def test_seconds_convert_at_five_cents_a_minute() -> None:
    assert reference_seconds(10_000_000) == 12_000
    assert reference_seconds(50_000) == 60
    assert reference_seconds(49_999) == 59
    assert reference_seconds(-50_000) == -60


def test_minutes_remaining_are_never_negative() -> None:
    assert reference_minutes(75_000) == 1.5
    assert reference_minutes(-75_000) == 0


def test_a_credit_is_a_cent() -> None:
    assert credits_of(10_000_000) == 1000
    assert credits_of(15_000) == 1.5


@pytest.mark.parametrize(
    ("total_micros", "is_active", "expected"),
    [
        (1_500_000, True, "ok"),
        (1_499_999, True, "low"),
        (250_000, True, "low"),
        (249_999, True, "critical"),
        (-1, True, "critical"),
        (10_000_000, False, "critical"),
    ],
)
def test_tone_follows_the_total_and_the_account_flag(
    total_micros: int, is_active: bool, expected: Tone
) -> None:
    assert tone(total_micros, is_active) == expected


def test_tenant_state_tells_how_far_a_tenant_has_come() -> None:
    assert tenant_state(False, False) == "no_agents"
    assert tenant_state(True, False) == "agents_no_calls"
    assert tenant_state(True, True) == "has_calls"
    assert tenant_state(False, True) == "has_calls", "deleted agents leave their calls"


def test_daily_spend_needs_a_billable_call_on_every_day() -> None:
    assert recent_daily_spend_usd([70_000] * 7) == 0.07
    assert recent_daily_spend_usd([70_000] * 6) is None
    assert recent_daily_spend_usd([0] * 7) is None
    assert recent_daily_spend_usd([]) is None


def test_runway_is_unknown_only_without_a_spend() -> None:
    assert runway_days(7.0, 0.5) == 14
    assert runway_days(7.0, None) is None
    assert runway_days(0, None) is None
    assert runway_days(0, 0.5) == 0
    assert runway_days(-3.0, 0.5) == 0, "a debt lasts no days"

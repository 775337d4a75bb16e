from __future__ import annotations

import pytest

from contracts.end_reasons import EndReason
from contracts.money import REFERENCE_RATE_MICROS_PER_MINUTE
from control_plane.notifying.notifications.call_signals import (
    Degradation,
    EndedCall,
    balance_category,
    degradation,
)

FINE = EndedCall("participant_disconnected", {"llm/openai/a": 1, "tts/openai/b": 1}, False)
FAILED = EndedCall(EndReason.SESSION_ERROR.value, {}, False)
SWITCHED = EndedCall("participant_disconnected", {"llm/openai/a": 1, "llm/google/c": 1}, False)
HANDED_OVER = EndedCall(SWITCHED.end_reason, SWITCHED.usage, True)


def test_an_agent_is_degraded_from_three_calls_in_ten() -> None:
    assert degradation([FINE] * 7 + [FAILED, FAILED, SWITCHED]) == Degradation(10, 2, 1)
    assert degradation([FINE] * 8 + [FAILED, SWITCHED]) is None


def test_fewer_than_five_calls_say_nothing() -> None:
    assert degradation([FAILED] * 4) is None
    assert degradation([FAILED] * 5) == Degradation(5, 5, 0)


def test_other_models_after_a_handoff_are_no_switch() -> None:
    assert degradation([HANDED_OVER] * 10) is None


@pytest.mark.parametrize(
    ("minutes", "is_active", "category"),
    [
        (30, True, None),
        (29, True, "billing.low_balance"),
        (30, False, "billing.low_balance"),
        (0, True, "billing.balance_depleted"),
        (-1, True, "billing.balance_depleted"),
    ],
)
def test_a_balance_is_low_below_half_an_hour(
    minutes: int, is_active: bool, category: str | None
) -> None:
    total = minutes * REFERENCE_RATE_MICROS_PER_MINUTE
    assert balance_category(total, is_active=is_active) == category

"""The figures of a balance, as clients see them. Pure. Source: API spec, "Billing", rules of the
balance. Seconds and minutes are counted at the reference rate; the real price of a call depends on
its agent.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from contracts.money import MICROS_PER_CREDIT, REFERENCE_RATE_MICROS_PER_MINUTE, usd
from control_plane.money.billing.buckets import Buckets

Tone = Literal["ok", "low", "critical"]
ActiveBucket = Literal["included", "topup"]
TenantState = Literal["no_agents", "agents_no_calls", "has_calls"]

LOW_MINUTES = 30
CRITICAL_MINUTES = 5
SPEND_WINDOW_DAYS = 7


def reference_seconds(micros: int) -> int:
    """Whole seconds that ``micros`` buys at the reference rate; negative for a debt."""
    seconds = abs(micros) * 60 // REFERENCE_RATE_MICROS_PER_MINUTE
    return seconds if micros >= 0 else -seconds


def reference_minutes(micros: int) -> float:
    """Minutes that ``micros`` buys at the reference rate, at least 0, rounded to a hundredth."""
    return max(0, reference_seconds(micros) * 100 // 60) / 100


def credits_of(micros: int) -> float:
    """One credit is one cent."""
    return round(micros / MICROS_PER_CREDIT, 4)


def active_bucket(buckets: Buckets) -> ActiveBucket:
    """What calls are paid from now: what is included while any of it remains, then top-ups."""
    return "included" if buckets.included_micros > 0 else "topup"


def tone(total_micros: int, is_active: bool) -> Tone:
    """``critical`` below 5 minutes or if the account is inactive, ``low`` below 30 minutes, by the
    total balance."""
    if not is_active or total_micros < CRITICAL_MINUTES * REFERENCE_RATE_MICROS_PER_MINUTE:
        return "critical"
    if total_micros < LOW_MINUTES * REFERENCE_RATE_MICROS_PER_MINUTE:
        return "low"
    return "ok"


def tenant_state(has_agents: bool, has_calls: bool) -> TenantState:
    if has_calls:
        return "has_calls"
    return "agents_no_calls" if has_agents else "no_agents"


def recent_daily_spend_usd(daily_micros: Sequence[int]) -> float | None:
    """The seven-day average of ``daily_micros``, one total for each day that had a billable call.

    ``None`` unless every one of the seven days had one.
    """
    total = sum(daily_micros)
    if len(daily_micros) < SPEND_WINDOW_DAYS or total <= 0:
        return None
    return usd(round(total / SPEND_WINDOW_DAYS))


def runway_days(balance_usd: float, daily_spend_usd: float | None) -> float | None:
    """Days until the balance is used up at the recent rate: 0 if it is, or is below 0. ``None`` if
    that rate is unknown."""
    if not daily_spend_usd:
        return None
    return round(max(0.0, balance_usd) / daily_spend_usd, 1)

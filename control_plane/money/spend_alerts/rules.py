"""When a tenant is alerted about its spending. Pure.

Source: API spec, "Billing": thresholds, the balance as a percentage of the last top-up, and
velocity. The spec leaves the period of a threshold and the rules of velocity open: a threshold is
compared with what calls have cost since the month began (UTC), and the last hour with the tenant's
own average hour.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Literal
from uuid import UUID

from contracts.money import MICROS_PER_USD
from control_plane.money.plans.month import month_name, month_of

AlertType = Literal["monthly_spend", "low_balance", "hourly_velocity"]
Severity = Literal["warning", "critical"]

HOUR = timedelta(hours=1)
HISTORY_DAYS = 7
FEWEST_DAYS = 3
"""Days with charges, out of ``HISTORY_DAYS``: fewer say nothing about what is usual."""
WARNING_TIMES = 5
"""A tenant that calls eight hours on five days a week spends 4.2 times its average in each of those
hours, so an ordinary hour raises nothing."""
CRITICAL_TIMES = 20
LEAST_HOUR_MICROS = MICROS_PER_USD
"""An hour that costs less is not worth an alert."""
_HOURS = HISTORY_DAYS * 24


@dataclass(frozen=True)
class AlertSettings:
    thresholds_micros: tuple[int, ...] = ()
    low_balance_pct: int = 10
    email_enabled: bool = True


@dataclass(frozen=True)
class TopUp:
    """The last one; without it there is nothing to compare the balance with."""

    entry_id: UUID
    micros: int


@dataclass(frozen=True)
class Spending:
    """What is known of a tenant that has just spent something. All in micro-dollars."""

    hour_micros: int
    """What calls cost in the last 60 minutes."""
    month_micros: int
    """What they have cost in this month of UTC."""
    history_micros: int
    """What they cost in the ``HISTORY_DAYS`` UTC days before today."""
    history_days: int
    """How many of those had a charge."""
    balance_micros: int
    last_topup: TopUp | None
    last_month_micros: int = 0
    """What they cost in the last month, if it ended in the last 60 minutes; otherwise 0."""


@dataclass(frozen=True)
class Alert:
    alert_type: AlertType
    severity: Severity
    amount_micros: int
    threshold_micros: int
    occasion: str
    """What it is about. A tenant has one alert for each occasion."""


def alerts_of(spending: Spending, settings: AlertSettings, now: datetime) -> Iterator[Alert]:
    """Every alert whose condition holds at ``now``; those raised before are among them."""
    today = now.astimezone(UTC).date()
    yield from _thresholds(spending.month_micros, settings, month_of(now))
    # Its last calls may have ended after the last look at it.
    yield from _thresholds(spending.last_month_micros, settings, month_of(now - HOUR))
    yield from _low_balance(spending, settings)
    yield from _velocity(spending, today)


def _thresholds(micros: int, settings: AlertSettings, month: date) -> Iterator[Alert]:
    for threshold in settings.thresholds_micros:
        if micros >= threshold:
            yield Alert(
                "monthly_spend",
                "warning",
                micros,
                threshold,
                f"month:{month_name(month)}:{threshold}",
            )


def _low_balance(spending: Spending, settings: AlertSettings) -> Iterator[Alert]:
    topup = spending.last_topup
    if topup is None or settings.low_balance_pct == 0:
        return
    threshold = topup.micros * settings.low_balance_pct // 100
    if spending.balance_micros <= threshold:
        yield Alert(
            "low_balance",
            "warning" if spending.balance_micros > 0 else "critical",
            spending.balance_micros,
            threshold,
            f"topup:{topup.entry_id}",
        )


def _velocity(spending: Spending, today: date) -> Iterator[Alert]:
    """Each severity once a day, so that a busy afternoon is one alert and not one for each hour."""
    if spending.history_days < FEWEST_DAYS:
        return
    severities: tuple[tuple[Severity, int], ...] = (
        ("warning", WARNING_TIMES),
        ("critical", CRITICAL_TIMES),
    )
    for severity, times in severities:
        threshold = max(LEAST_HOUR_MICROS, spending.history_micros * times // _HOURS)
        if spending.hour_micros >= threshold:
            yield Alert(
                "hourly_velocity",
                severity,
                spending.hour_micros,
                threshold,
                f"velocity:{today}:{severity}",
            )

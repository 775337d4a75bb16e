"""How much credit a running call holds. Pure.

A call reserves its first increment before a worker gets it. While it runs, the reserve is kept
``RESERVE_AHEAD_MS`` ahead of the connected time, in whole billing increments. If the balance allows
less, the call holds what there is and ends when that is used up.
"""

from __future__ import annotations

from contracts.money import (
    BILLING_INCREMENT_SECONDS,
    affordable_seconds,
    billable_seconds,
    charge_micros,
)

FIRST_RESERVE_SECONDS = BILLING_INCREMENT_SECONDS
RESERVE_AHEAD_MS = 65_000
"""How long a call goes on if nobody extends its reserve, for example while PostgreSQL is away.

Meter readings come every 5 s, and the goodbye begins 4 s before the paid time is over. So an outage
of 50 s costs no call."""


def reserve_seconds_wanted(connected_ms: int) -> int:
    """Seconds that a call should have reserved after ``connected_ms`` of connected time."""
    return billable_seconds(connected_ms + RESERVE_AHEAD_MS)


def extension_micros(held_micros: int, seconds: int, rate_micros_per_minute: int) -> int:
    """What to add to ``held_micros`` so that it covers ``seconds``; 0 if it already does.

    It is the difference of two totals, not the price of the increment, so that fractions of a
    micro-dollar are rounded only once.
    """
    return max(0, charge_micros(seconds, rate_micros_per_minute) - held_micros)


def payable_seconds(seconds: int, micros: int, rate_micros_per_minute: int) -> int:
    """As many of ``seconds`` billable seconds as ``micros`` pays for."""
    affordable = affordable_seconds(max(0, micros), rate_micros_per_minute)
    return seconds if affordable is None else min(seconds, affordable)


def first_funded_until_ms(rate_micros_per_minute: int) -> int | None:
    """Connected milliseconds that a call's first reserve pays for; ``None``: no limit."""
    first = charge_micros(FIRST_RESERVE_SECONDS, rate_micros_per_minute)
    return funded_until_ms(first, rate_micros_per_minute)


def funded_until_ms(held_micros: int, rate_micros_per_minute: int) -> int | None:
    """Connected milliseconds that ``held_micros`` pays for; ``None``: no limit."""
    seconds = affordable_seconds(held_micros, rate_micros_per_minute)
    return None if seconds is None else seconds * 1000

"""How much credit a running call must hold. Pure.

A call reserves its first increment before it is created. While it runs, the reserve is kept
``RESERVE_AHEAD_MS`` ahead of the connected time, in whole billing increments.
"""

from __future__ import annotations

from contracts.money import BILLING_INCREMENT_SECONDS, billable_seconds, charge_micros

FIRST_RESERVE_SECONDS = BILLING_INCREMENT_SECONDS
RESERVE_AHEAD_MS = 15_000
"""Enough for the time to the next meter reading (5 s) and for a goodbye when credit runs out."""


def reserve_seconds_needed(connected_ms: int) -> int:
    """Seconds that a call must have reserved after ``connected_ms`` of connected time."""
    return billable_seconds(connected_ms + RESERVE_AHEAD_MS)


def extension_micros(held_micros: int, seconds: int, rate_micros_per_minute: int) -> int:
    """What to add to ``held_micros`` so that it covers ``seconds``; 0 if it already does.

    It is the difference of two totals, not the price of the increment, so that fractions of a
    micro-dollar are rounded only once.
    """
    return max(0, charge_micros(seconds, rate_micros_per_minute) - held_micros)

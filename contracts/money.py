"""Money in micro-dollars, and the rule that turns connected time into a charge.

A micro-dollar is a millionth of a US dollar, held in an ``int``; floats appear only when an
amount leaves through the API. Source of the rules: API spec, "Billing rules".
"""

from __future__ import annotations

MICROS_PER_USD = 1_000_000
MICROS_PER_CREDIT = 10_000
"""One credit is one cent."""

BILLING_INCREMENT_SECONDS = 30
PLATFORM_FEE_MICROS_PER_MINUTE = 20_000
"""Flat fee of custom agents: $0.02 a minute."""

REFERENCE_RATE_MICROS_PER_MINUTE = 50_000
"""``balance_seconds`` and the minutes remaining are worked out at $0.05 a minute."""

INCREMENTS_PER_MINUTE = 60 // BILLING_INCREMENT_SECONDS


def billable_seconds(connected_ms: int | None) -> int:
    """Connected milliseconds rounded up to whole 30-second increments, in seconds.

    ``None`` means that no leg's media ever connected: nothing is billed. A call that connected
    bills at least one increment, however short it was.

    Raises:
        ValueError: ``connected_ms`` is negative.
    """
    if connected_ms is None:
        return 0
    if connected_ms < 0:
        raise ValueError(f"connected_ms must be 0 or more, got {connected_ms}")
    increment_ms = BILLING_INCREMENT_SECONDS * 1000
    increments = max(1, -(-connected_ms // increment_ms))
    return increments * BILLING_INCREMENT_SECONDS


def charge_micros(seconds: int, rate_micros_per_minute: int) -> int:
    """Price of ``seconds`` billable seconds, in micro-dollars.

    With an odd rate, the half micro-dollar is rounded up once, on the total, never per increment.

    Raises:
        ValueError: ``seconds`` is not a whole number of increments, or an argument is negative.
    """
    if seconds < 0 or rate_micros_per_minute < 0:
        raise ValueError("seconds and rate_micros_per_minute must be 0 or more")
    increments, rest = divmod(seconds, BILLING_INCREMENT_SECONDS)
    if rest:
        raise ValueError(f"{seconds} s is not a multiple of {BILLING_INCREMENT_SECONDS} s")
    return -(-increments * rate_micros_per_minute // INCREMENTS_PER_MINUTE)


def affordable_seconds(micros: int, rate_micros_per_minute: int) -> int | None:
    """Billable seconds that ``micros`` pays for, in whole increments; ``None`` if a call costs
    nothing.

    It is the largest ``seconds`` with ``charge_micros(seconds, rate) <= micros``.

    Raises:
        ValueError: an argument is negative.
    """
    if micros < 0 or rate_micros_per_minute < 0:
        raise ValueError("micros and rate_micros_per_minute must be 0 or more")
    if rate_micros_per_minute == 0:
        return None
    increments = micros * INCREMENTS_PER_MINUTE // rate_micros_per_minute
    return increments * BILLING_INCREMENT_SECONDS


def usd(micros: int) -> float:
    """Micro-dollars as the dollars that the API shows (exact to six decimals)."""
    return round(micros / MICROS_PER_USD, 6)

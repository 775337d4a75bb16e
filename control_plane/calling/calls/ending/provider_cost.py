"""How a call's cost divides over the providers: its plan's price rows, one by one. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from contracts.call_plan import PriceRow
from contracts.money import charge_micros

CHANNELS = ("llm", "stt", "tts")


def provider_cost_micros(prices: Iterable[PriceRow], billable_seconds: int) -> dict[str, int]:
    """Micro-dollars by channel for ``billable_seconds``, the platform's fee left out."""
    rates: dict[str, int] = dict.fromkeys(CHANNELS, 0)
    for row in prices:
        if row.component in rates:
            rates[row.component] += row.micros_per_minute
    return {channel: charge_micros(billable_seconds, rate) for channel, rate in rates.items()}

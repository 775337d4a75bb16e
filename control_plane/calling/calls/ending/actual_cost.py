"""What a call really cost the installation: what its models did, at their providers' unit prices
that the plan froze. Pure.

It is exact: each channel is summed in fractions and rounded once, half up, to a micro-dollar. It
has no part in the call's bill.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import floor
from typing import Any

from contracts.call_plan import CallPlan, PricedUnit, UnitPrice
from control_plane.calling.calls.ending.cost_breakdown import CHANNELS, ModelUsage, model_usage
from pipelines.stack import LOCAL

_MS_PER_MINUTE = 60_000
_HALF = Fraction(1, 2)
MOST_MICROS = 2**53
"""No call costs billions. A worker that reports as much is wrong, and the database could not add it
up."""


def actual_cost_micros(
    plan: CallPlan, reported: Mapping[str, Mapping[str, Any]]
) -> dict[str, int | None]:
    """Micro-dollars by channel.

    A model on this machine or on the tenant's own key costs the installation nothing. A channel is
    ``None`` if another model that did something has no unit price, or none for what it did, and if
    it comes to more than ``MOST_MICROS``.

    Args:
        reported: by ``"<channel>/<provider>/<model>"``, the latest totals from the worker. A model
            that took over for another one counts at its own price.
    """
    prices: dict[tuple[str, str, str], UnitPrice] = {
        (price.channel, price.provider, price.model): price for price in plan.unit_prices
    }
    own = {
        (channel, choice.provider, choice.model)
        for agent in plan.agents.values()
        for channel, choice in agent.stack.choices()
        if choice.key_source == "own"
    }
    costs: dict[str, Fraction | None] = dict.fromkeys(CHANNELS, Fraction(0))
    for used in model_usage(reported, None):
        model = (used.channel, used.provider, used.model)
        if used.provider == LOCAL or model in own:
            continue
        price = prices.get(model)
        cost = _cost(used, {} if price is None else price.micros_per)
        total = costs[used.channel]
        costs[used.channel] = None if cost is None or total is None else total + cost
    return {
        channel: None if cost is None or cost > MOST_MICROS else floor(cost + _HALF)
        for channel, cost in costs.items()
    }


def total_micros(by_channel: Mapping[str, int | None]) -> int | None:
    """The sum over the channels; ``None`` if one of them is unknown."""
    known = [cost for cost in by_channel.values() if cost is not None]
    return sum(known) if len(known) == len(by_channel) else None


def _cost(used: ModelUsage, micros_per: Mapping[PricedUnit, int]) -> Fraction | None:
    """Micro-dollars; ``None`` if the model did something, and nothing of it has a price."""
    quantities = _quantities(used, micros_per)
    if not any(quantities.values()):
        return None if _did_something(used) else Fraction(0)
    return sum((micros_per[unit] * amount for unit, amount in quantities.items()), Fraction(0))


def _quantities(
    used: ModelUsage, micros_per: Mapping[PricedUnit, int]
) -> dict[PricedUnit, Fraction]:
    """How much the model used of each unit that has a price.

    Tokens from a cache are part of the input, and reasoning is part of the output. So are tokens of
    audio. They count as such unless they have prices of their own, and then only there.
    """
    heard = spoken = cached = cached_heard = reasoning = 0
    if "million_input_audio_tokens" in micros_per:
        heard = min(used.input_audio_tokens, used.input_tokens)
    if "million_output_audio_tokens" in micros_per:
        spoken = min(used.output_audio_tokens, used.output_tokens)
    if "million_cached_input_audio_tokens" in micros_per:
        cached_heard = min(used.cached_input_audio_tokens, heard)
    read, written = used.input_tokens - heard, used.output_tokens - spoken
    if "million_cached_input_tokens" in micros_per:
        of_audio = used.cached_input_audio_tokens if heard else 0
        cached = min(max(0, used.cached_input_tokens - of_audio), read)
    if "million_reasoning_tokens" in micros_per:
        reasoning = min(used.reasoning_tokens, written)
    amounts: dict[PricedUnit, Fraction] = {
        "million_input_tokens": Fraction(read - cached, 1_000_000),
        "million_cached_input_tokens": Fraction(cached, 1_000_000),
        "million_output_tokens": Fraction(written - reasoning, 1_000_000),
        "million_reasoning_tokens": Fraction(reasoning, 1_000_000),
        "million_input_audio_tokens": Fraction(heard - cached_heard, 1_000_000),
        "million_cached_input_audio_tokens": Fraction(cached_heard, 1_000_000),
        "million_output_audio_tokens": Fraction(spoken, 1_000_000),
        "thousand_characters": Fraction(used.characters, 1_000),
        "audio_minute": Fraction(used.audio_ms, _MS_PER_MINUTE),
    }
    return {unit: amount for unit, amount in amounts.items() if unit in micros_per}


def _did_something(used: ModelUsage) -> bool:
    return any((used.audio_ms, used.input_tokens, used.output_tokens, used.characters))

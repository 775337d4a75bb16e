"""How the cost of a call divides over channels and over models. Pure.

A channel is billed by the connected minute, at the price row that the plan froze, however much its
models did. Over several models of a channel the amount is divided in proportion to their use:
audio for STT, tokens for LLM, characters for TTS.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from contracts.call_plan import PriceRow
from control_plane.money.billing.tariff import Rate, Tariff

CHANNELS = ("llm", "stt", "tts")

_MEASURES = {
    "stt": ("audio_ms", "input_tokens"),
    "llm": ("input_tokens", "output_tokens"),
    "tts": ("characters", "audio_ms", "input_tokens"),
}
"""How the use of a channel's models is measured: by the first of these that any model reported."""


@dataclass(frozen=True)
class ModelUsage:
    channel: str
    provider: str
    model: str
    audio_ms: int
    input_tokens: int
    output_tokens: int
    characters: int
    cached_input_tokens: int
    reasoning_tokens: int
    estimated_input_tokens: int
    estimated_output_tokens: int
    input_audio_tokens: int
    cached_input_audio_tokens: int
    output_audio_tokens: int
    estimated_audio_ms: int
    cost_micros: int | None
    """The model's share of the channel's cost; ``None`` until that is known."""


def provider_cost_micros(
    priced: Iterable[tuple[int, Iterable[PriceRow]]], billable_seconds: int
) -> dict[str, int]:
    """Micro-dollars by channel for ``billable_seconds``, without the platform's fee.

    Args:
        priced: the price rows of each agent that served the call, and the connected milliseconds
            from which on they hold.
    """
    rates: dict[str, list[Rate]] = {channel: [] for channel in CHANNELS}
    for from_ms, prices in priced:
        rows = tuple(prices)
        for channel, steps in rates.items():
            amounts = (row.micros_per_minute for row in rows if row.component == channel)
            steps.append(Rate(from_ms, sum(amounts)))
    return {
        channel: Tariff(tuple(steps)).charge_micros(billable_seconds)
        for channel, steps in rates.items()
    }


def model_usage(
    reported: Mapping[str, Mapping[str, Any]], cost_micros: Mapping[str, int] | None
) -> list[ModelUsage]:
    """
    Args:
        reported: by ``"<channel>/<provider>/<model>"``, the latest totals from the worker.
        cost_micros: by channel, from ``provider_cost_micros``.
    """
    found: list[ModelUsage] = []
    for channel in sorted({name.partition("/")[0] for name in reported}):
        of_channel = {
            name: totals
            for name, totals in sorted(reported.items())
            if name.partition("/")[0] == channel
        }
        shares = _shares(list(of_channel.values()), _MEASURES.get(channel, ()))
        cost = None if cost_micros is None else cost_micros.get(channel, 0)
        amounts = [None] * len(shares) if cost is None else divided(cost, shares)
        for (name, totals), amount in zip(of_channel.items(), amounts, strict=True):
            _, provider, model = (*name.split("/", 2), "", "")[:3]
            found.append(
                ModelUsage(
                    channel=channel,
                    provider=provider,
                    model=model,
                    audio_ms=totals.get("audio_ms", 0),
                    input_tokens=totals.get("input_tokens", 0),
                    output_tokens=totals.get("output_tokens", 0),
                    characters=totals.get("characters", 0),
                    cached_input_tokens=totals.get("cached_input_tokens", 0),
                    reasoning_tokens=totals.get("reasoning_tokens", 0),
                    estimated_input_tokens=totals.get("estimated_input_tokens", 0),
                    estimated_output_tokens=totals.get("estimated_output_tokens", 0),
                    input_audio_tokens=totals.get("input_audio_tokens", 0),
                    cached_input_audio_tokens=totals.get("cached_input_audio_tokens", 0),
                    output_audio_tokens=totals.get("output_audio_tokens", 0),
                    estimated_audio_ms=totals.get("estimated_audio_ms", 0),
                    cost_micros=amount,
                )
            )
    return found


def divided(amount: int, shares: list[int]) -> list[int]:
    """Divide ``amount`` in proportion to ``shares``, so that the parts add up exactly: the largest
    remainders are rounded up. If all shares are 0, everything goes to the first."""
    total = sum(shares)
    if total == 0:
        return [amount] + [0] * (len(shares) - 1)
    parts = [amount * share // total for share in shares]
    by_remainder = sorted(
        range(len(shares)), key=lambda index: (-(amount * shares[index] % total), index)
    )
    for index in by_remainder[: amount - sum(parts)]:
        parts[index] += 1
    return parts


def _shares(totals: list[Mapping[str, Any]], measures: tuple[str, ...]) -> list[int]:
    if measures == _MEASURES["llm"]:
        return [sum(each.get(name, 0) for name in measures) for each in totals]
    for name in measures:
        shares = [each.get(name, 0) for each in totals]
        if any(shares):
            return shares
    return [0] * len(totals)

from __future__ import annotations

from typing import Any
from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st

from contracts.call_plan import PriceRow
from control_plane.calling.calls.ending.cost_breakdown import (
    divided,
    model_usage,
    provider_cost_micros,
)


def price(component: Any, micros_per_minute: int) -> PriceRow:
    return PriceRow(
        price_id=UUID(int=1),
        component=component,
        provider="p",
        model="m",
        micros_per_minute=micros_per_minute,
    )


PRICES = (price("stt", 4_000), price("llm", 10_001), price("tts", 0), price("platform", 20_000))


def test_each_channel_gets_its_own_price_rows() -> None:
    assert provider_cost_micros([(0, PRICES)], 60) == {"llm": 10_001, "stt": 4_000, "tts": 0}


def test_half_a_micro_dollar_is_rounded_up_once() -> None:
    assert provider_cost_micros([(0, PRICES)], 30)["llm"] == 5_001
    assert provider_cost_micros([(0, PRICES)], 90)["llm"] == 15_002


def test_a_managed_agents_fixed_price_belongs_to_no_channel() -> None:
    assert provider_cost_micros([(0, [price("managed_sku", 90_000)])], 60) == {
        "llm": 0,
        "stt": 0,
        "tts": 0,
    }


def test_a_channels_cost_is_divided_by_what_each_model_did() -> None:
    reported = {
        "tts/elevenlabs/flash": {"characters": 300},
        "tts/local/hibari": {"characters": 100},
        "llm/openai/gpt-4.1": {"input_tokens": 900, "output_tokens": 100},
        "stt/deepgram/nova-3": {"audio_ms": 4_000},
    }
    found = model_usage(reported, {"tts": 400, "llm": 50, "stt": 7})
    assert [(each.channel, each.provider, each.model, each.cost_micros) for each in found] == [
        ("llm", "openai", "gpt-4.1", 50),
        ("stt", "deepgram", "nova-3", 7),
        ("tts", "elevenlabs", "flash", 300),
        ("tts", "local", "hibari", 100),
    ]


def test_a_models_name_may_hold_slashes() -> None:
    [found] = model_usage({"llm/custom/meta/llama-4": {}}, None)
    assert (found.provider, found.model, found.cost_micros) == ("custom", "meta/llama-4", None)


def test_without_any_measure_the_first_model_bears_the_cost() -> None:
    found = model_usage({"stt/a/1": {}, "stt/b/2": {}}, {"stt": 9})
    assert [each.cost_micros for each in found] == [9, 0]


@given(st.integers(0, 10**9), st.lists(st.integers(0, 10**9), min_size=1, max_size=8))
def test_the_parts_add_up_to_the_amount(amount: int, shares: list[int]) -> None:
    parts = divided(amount, shares)
    assert sum(parts) == amount
    total = sum(shares)
    if total:
        exact = [amount * share / total for share in shares]
        assert all(abs(part - due) <= 1 for part, due in zip(parts, exact, strict=True))

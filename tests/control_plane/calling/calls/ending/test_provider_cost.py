from __future__ import annotations

from typing import Any
from uuid import UUID

from contracts.call_plan import PriceRow
from control_plane.calling.calls.ending.provider_cost import provider_cost_micros


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
    assert provider_cost_micros(PRICES, 60) == {"llm": 10_001, "stt": 4_000, "tts": 0}


def test_half_a_micro_dollar_is_rounded_up_once() -> None:
    assert provider_cost_micros(PRICES, 30)["llm"] == 5_001
    assert provider_cost_micros(PRICES, 90)["llm"] == 15_002


def test_a_managed_agents_fixed_price_belongs_to_no_channel() -> None:
    assert provider_cost_micros([price("managed_sku", 90_000)], 60) == {
        "llm": 0,
        "stt": 0,
        "tts": 0,
    }

"""What a call cost the installation at its providers' unit prices."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts.call_plan import (
    CallPlan,
    Channel,
    KeySource,
    PricedUnit,
    ProviderChoice,
    ResolvedChannel,
    ResolvedStack,
    UnitPrice,
)
from control_plane.calling.calls.ending.actual_cost import (
    MOST_MICROS,
    actual_cost_micros,
    total_micros,
)
from tests.pipelines.plans import call_plan

NOTHING = {"llm": 0, "stt": 0, "tts": 0}
LLM: dict[PricedUnit, int] = {
    "million_input_tokens": 2_000_000,
    "million_output_tokens": 8_000_000,
}
Totals = Mapping[str, int]
THOUGHT: Totals = {
    "input_tokens": 1_000,
    "cached_input_tokens": 600,
    "output_tokens": 500,
    "reasoning_tokens": 200,
}


def price(channel: Channel, name: str, micros_per: Mapping[PricedUnit, int]) -> UnitPrice:
    provider, _, model = name.partition("/")
    return UnitPrice(
        price_id=UUID(int=1),
        channel=channel,
        provider=provider,
        model=model,
        micros_per=dict(micros_per),
    )


def plan(*prices: UnitPrice, llm_key: KeySource = "platform") -> CallPlan:
    stack = ResolvedStack(
        stt=ResolvedChannel(primary=ProviderChoice(provider="deepgram", model="nova-3")),
        llm=ResolvedChannel(
            primary=ProviderChoice(provider="openai", model="gpt-4o", key_source=llm_key),
            fallback=ProviderChoice(provider="google", model="gemini-flash"),
        ),
        tts=ResolvedChannel(primary=ProviderChoice(provider="cartesia", model="sonic-3")),
    )
    return call_plan(stack=stack).model_copy(update={"unit_prices": prices})


def llm_cost(micros_per: Mapping[PricedUnit, int], totals: Totals) -> int | None:
    frozen = plan(price("llm", "openai/gpt-4o", micros_per))
    return actual_cost_micros(frozen, {"llm/openai/gpt-4o": totals})["llm"]


@pytest.mark.parametrize(
    ("channel", "micros_per", "totals", "micros"),
    [
        ("llm", LLM, {"input_tokens": 1_000_000}, 2_000_000),
        ("llm", LLM, {"output_tokens": 1_000_000}, 8_000_000),
        ("llm", LLM, {"input_tokens": 1_200, "output_tokens": 300}, 2_400 + 2_400),
        ("tts", {"thousand_characters": 15_000}, {"characters": 240, "audio_ms": 9_000}, 3_600),
        ("tts", {"audio_minute": 20_000}, {"characters": 240, "audio_ms": 9_000}, 3_000),
        ("stt", {"audio_minute": 7_700}, {"audio_ms": 90_000}, 11_550),
        ("stt", {"audio_minute": 0}, {"audio_ms": 90_000}, 0),
    ],
)
def test_a_model_costs_what_it_did_times_its_unit_price(
    channel: Channel, micros_per: dict[PricedUnit, int], totals: Totals, micros: int
) -> None:
    frozen = plan(price(channel, "acme/one", micros_per))
    expected = NOTHING | {channel: micros}
    assert actual_cost_micros(frozen, {f"{channel}/acme/one": totals}) == expected


class TestTokens:
    def test_from_a_cache_cost_what_other_input_does_unless_they_have_a_price(self) -> None:
        assert llm_cost(LLM, THOUGHT) == 1_000 * 2 + 500 * 8
        discounted = LLM | {"million_cached_input_tokens": 500_000}
        assert llm_cost(discounted, THOUGHT) == 400 * 2 + 300 + 500 * 8

    def test_of_reasoning_are_part_of_the_output_and_counted_once(self) -> None:
        dearer = LLM | {"million_reasoning_tokens": 10_000_000}
        assert llm_cost(dearer, THOUGHT) == 1_000 * 2 + 300 * 8 + 200 * 10

    def test_of_audio_cost_their_own_price_and_those_of_text_another(self) -> None:
        live = LLM | {
            "million_input_audio_tokens": 32_000_000,
            "million_output_audio_tokens": 64_000_000,
        }
        spoken = {
            "input_tokens": 1_000,
            "input_audio_tokens": 700,
            "cached_input_tokens": 500,
            "cached_input_audio_tokens": 400,
            "output_tokens": 500,
            "output_audio_tokens": 450,
        }
        assert llm_cost(live, spoken) == 300 * 2 + 700 * 32 + 50 * 8 + 450 * 64
        discounted = live | {
            "million_cached_input_tokens": 1_000_000,
            "million_cached_input_audio_tokens": 3_000_000,
        }
        in_text, in_audio = 200 * 2 + 100 * 1, 300 * 32 + 400 * 3
        assert llm_cost(discounted, spoken) == in_text + in_audio + 50 * 8 + 450 * 64

    def test_are_never_less_than_none(self) -> None:
        """A worker that reports more cached tokens than input is wrong, but nobody gets money."""
        free = LLM | {"million_cached_input_tokens": 0}
        assert llm_cost(free, {"input_tokens": 10, "cached_input_tokens": 90}) == 0


class TestRounding:
    def test_is_half_up(self) -> None:
        per_token = LLM | {"million_input_tokens": 500_000}
        assert llm_cost(per_token, {"input_tokens": 1}) == 1
        assert llm_cost(per_token | {"million_input_tokens": 499_999}, {"input_tokens": 1}) == 0

    def test_is_done_once_for_a_channel_and_not_for_each_model(self) -> None:
        cheap: dict[PricedUnit, int] = LLM | {"million_input_tokens": 250_000}
        frozen = plan(price("llm", "a/1", cheap), price("llm", "b/2", cheap))
        one = {"input_tokens": 1}
        assert actual_cost_micros(frozen, {"llm/a/1": one})["llm"] == 0
        assert actual_cost_micros(frozen, {"llm/a/1": one, "llm/b/2": one})["llm"] == 1


class TestAChannelIsUnknown:
    def test_if_a_model_that_served_has_no_unit_price(self) -> None:
        frozen = plan(price("llm", "openai/gpt-4o", LLM))
        usage = {
            "llm/openai/gpt-4o": {"input_tokens": 5},
            "tts/cartesia/sonic-3": {"characters": 100},
        }
        assert actual_cost_micros(frozen, usage) == {"llm": 10, "stt": 0, "tts": None}

    def test_if_a_fallback_has_none_even_though_the_primary_has(self) -> None:
        frozen = plan(price("llm", "openai/gpt-4o", LLM))
        answered = {"input_tokens": 5}
        for usage in (
            {"llm/google/gemini-flash": answered, "llm/openai/gpt-4o": answered},
            {"llm/openai/gpt-4o": answered, "llm/a-provider/of-no-plan": answered},
        ):
            assert actual_cost_micros(frozen, usage)["llm"] is None

    def test_if_what_the_model_did_is_not_what_it_is_billed_by(self) -> None:
        frozen = plan(price("stt", "deepgram/nova-3", {"audio_minute": 7_700}))
        usage = {"stt/deepgram/nova-3": {"audio_ms": 0, "input_tokens": 900}}
        assert actual_cost_micros(frozen, usage)["stt"] is None

    def test_if_no_call_can_cost_as_much(self) -> None:
        assert llm_cost(LLM, {"input_tokens": MOST_MICROS // 2}) == MOST_MICROS
        assert llm_cost(LLM, {"input_tokens": MOST_MICROS // 2 + 1}) is None
        assert llm_cost(LLM, {"input_tokens": 10**400}) is None

    def test_but_not_if_the_model_without_a_price_did_nothing(self) -> None:
        usage = {"tts/cartesia/sonic-3": {"characters": 0, "audio_ms": 0}}
        assert actual_cost_micros(plan(), usage) == NOTHING
        assert actual_cost_micros(plan(), {}) == NOTHING

    def test_and_then_the_whole_is(self) -> None:
        assert total_micros({"llm": 1, "stt": None, "tts": 2}) is None
        assert total_micros({"llm": 1, "stt": 0, "tts": 2}) == 3


def test_the_example_of_the_documentation() -> None:
    """``docs/post-call.md``, with the unit prices of ``docs/operator.md``."""
    frozen = plan(
        price("llm", "openai/gpt-4o", LLM | {"million_cached_input_tokens": 1_000_000}),
        price("tts", "cartesia/sonic-3", {"thousand_characters": 15_000}),
        price("stt", "deepgram/nova-3", {"audio_minute": 7_000}),
    )
    found = actual_cost_micros(
        frozen,
        {
            "llm/openai/gpt-4o": {
                "input_tokens": 12_000,
                "cached_input_tokens": 8_000,
                "output_tokens": 400,
            },
            "tts/cartesia/sonic-3": {"characters": 900},
            "stt/deepgram/nova-3": {"audio_ms": 120_000},
        },
    )
    assert found == {"llm": 19_200, "stt": 14_000, "tts": 13_500}
    assert total_micros(found) == 46_700


def test_a_fallback_counts_at_its_own_price() -> None:
    frozen = plan(
        price("llm", "openai/gpt-4o", LLM),
        price("llm", "google/gemini-flash", LLM | {"million_input_tokens": 1_000_000}),
    )
    usage = {
        "llm/openai/gpt-4o": {"input_tokens": 100},
        "llm/google/gemini-flash": {"input_tokens": 100},
    }
    assert actual_cost_micros(frozen, usage)["llm"] == 200 + 100


def test_the_price_of_another_channel_does_not_count() -> None:
    frozen = plan(price("tts", "openai/omni", {"thousand_characters": 15_000}))
    usage = {"llm/openai/omni": {"input_tokens": 5}}
    assert actual_cost_micros(frozen, usage)["llm"] is None


def test_what_runs_on_this_machine_costs_nothing() -> None:
    usage = {
        "stt/local/moonshine-tiny-en": {"audio_ms": 60_000},
        "llm/local/playbook": {"input_tokens": 7},
        "tts/local/hibari-en": {"characters": 90},
    }
    assert actual_cost_micros(plan(), usage) == NOTHING


def test_an_own_key_costs_the_installation_nothing() -> None:
    frozen = plan(price("llm", "google/gemini-flash", LLM), llm_key="own")
    usage = {
        "llm/openai/gpt-4o": {"input_tokens": 100},
        "llm/google/gemini-flash": {"input_tokens": 10},
    }
    assert actual_cost_micros(frozen, usage)["llm"] == 20


_COUNTS = st.integers(0, 10**9)
_MICROS = st.integers(0, 10**9)
_TOTALS = st.fixed_dictionaries(dict.fromkeys((*THOUGHT, "audio_ms", "characters"), _COUNTS))
_UNITS: Mapping[Channel, st.SearchStrategy[dict[PricedUnit, int]]] = {
    "stt": cast(Any, st.fixed_dictionaries({"audio_minute": _MICROS})),
    "tts": cast(
        Any,
        st.fixed_dictionaries({"thousand_characters": _MICROS})
        | st.fixed_dictionaries({"audio_minute": _MICROS}),
    ),
    "llm": cast(
        Any,
        st.fixed_dictionaries(
            {"million_input_tokens": _MICROS, "million_output_tokens": _MICROS},
            optional={
                "million_cached_input_tokens": _MICROS,
                "million_reasoning_tokens": _MICROS,
            },
        ),
    ),
}
_CHANNELS: st.SearchStrategy[Channel] = st.sampled_from(("stt", "llm", "tts"))
_PRICED = _CHANNELS.flatmap(lambda channel: st.tuples(st.just(channel), _UNITS[channel]))


@given(_PRICED, _TOTALS)
def test_no_use_costs_nothing_whatever_the_price(
    priced: tuple[Channel, dict[PricedUnit, int]], totals: dict[str, int]
) -> None:
    channel, micros_per = priced
    frozen = plan(price(channel, "a/1", micros_per))
    nothing = dict.fromkeys(totals, 0)
    assert actual_cost_micros(frozen, {f"{channel}/a/1": nothing}) == NOTHING


@given(_PRICED, _TOTALS, _TOTALS)
def test_models_of_one_channel_add_up_to_within_one_rounding(
    priced: tuple[Channel, dict[PricedUnit, int]], first: dict[str, int], second: dict[str, int]
) -> None:
    channel, micros_per = priced
    frozen = plan(price(channel, "a/1", micros_per), price(channel, "b/2", micros_per))
    one, two = f"{channel}/a/1", f"{channel}/b/2"
    parts = [actual_cost_micros(frozen, usage)[channel] for usage in ({one: first}, {two: second})]
    together = actual_cost_micros(frozen, {one: first, two: second})[channel]
    if None in parts:
        assert together is None
    else:
        assert together is not None
        assert abs(together - sum(cast(list[int], parts))) <= 1


@given(_UNITS["stt"], _UNITS["llm"], _UNITS["tts"], st.tuples(_TOTALS, _TOTALS, _TOTALS))
def test_the_whole_is_the_sum_of_its_channels(
    stt: dict[PricedUnit, int],
    llm: dict[PricedUnit, int],
    tts: dict[PricedUnit, int],
    totals: tuple[dict[str, int], dict[str, int], dict[str, int]],
) -> None:
    frozen = plan(price("stt", "a/1", stt), price("llm", "a/1", llm), price("tts", "a/1", tts))
    usage = dict(zip(("stt/a/1", "llm/a/1", "tts/a/1"), totals, strict=True))
    alone = {
        (channel := name.partition("/")[0]): actual_cost_micros(frozen, {name: each})[channel]
        for name, each in usage.items()
    }
    found = actual_cost_micros(frozen, usage)
    assert found == alone
    known = [cost for cost in alone.values() if cost is not None]
    assert total_micros(found) == (sum(known) if len(known) == 3 else None)


@given(
    _PRICED,
    _TOTALS,
    st.sampled_from(("audio_ms", "input_tokens", "output_tokens", "characters")),
    _COUNTS,
)
def test_more_use_never_costs_less(
    priced: tuple[Channel, dict[PricedUnit, int]], totals: dict[str, int], name: str, more: int
) -> None:
    channel, micros_per = priced
    totals |= {
        "cached_input_tokens": min(totals["cached_input_tokens"], totals["input_tokens"]),
        "reasoning_tokens": min(totals["reasoning_tokens"], totals["output_tokens"]),
    }
    frozen = plan(price(channel, "a/1", micros_per))
    less = actual_cost_micros(frozen, {f"{channel}/a/1": totals})[channel]
    greater = totals | {name: totals[name] + more}
    found = actual_cost_micros(frozen, {f"{channel}/a/1": greater})[channel]
    if less is not None and found is not None:
        assert found >= less


@given(_PRICED, _TOTALS, _MICROS)
def test_a_higher_price_never_costs_less(
    priced: tuple[Channel, dict[PricedUnit, int]], totals: dict[str, int], more: int
) -> None:
    channel, micros_per = priced
    dearer = {unit: micros + more for unit, micros in micros_per.items()}
    usage = {f"{channel}/a/1": totals}
    before = actual_cost_micros(plan(price(channel, "a/1", micros_per)), usage)[channel]
    after = actual_cost_micros(plan(price(channel, "a/1", dearer)), usage)[channel]
    assert (before is None) == (after is None)
    if before is not None and after is not None:
        assert after >= before

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from control_plane.calling.calls.ending.model_usage import divided, model_usage


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

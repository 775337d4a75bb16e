import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from runtime.media.mixer import mix, mix_minus
from runtime.media.room import Samples

FRAME = 8


def constant(value: int) -> Samples:
    return np.full(FRAME, value, np.int16)


def test_each_leg_hears_the_agent_and_the_others_but_not_itself() -> None:
    heard = mix_minus(constant(100), {"a": constant(1), "b": constant(20), "c": constant(3)})
    assert {key: int(frame[0]) for key, frame in heard.items()} == {"a": 123, "b": 104, "c": 121}


def test_a_leg_alone_hears_the_agent_only() -> None:
    assert np.array_equal(mix_minus(constant(7), {"a": constant(9_999)})["a"], constant(7))


def test_nobody_hears_anything_in_an_empty_room() -> None:
    assert mix_minus(constant(7), {}) == {}
    assert np.array_equal(mix([], FRAME), constant(0))


def test_the_engine_hears_all_legs() -> None:
    assert np.array_equal(mix([constant(1), constant(2), constant(-5)], FRAME), constant(-2))


def test_sums_saturate_instead_of_wrapping() -> None:
    assert np.array_equal(mix([constant(30_000)] * 3, FRAME), constant(32_767))
    assert np.array_equal(mix([constant(-30_000)] * 3, FRAME), constant(-32_768))
    assert mix_minus(constant(30_000), {"a": constant(1), "b": constant(30_000)})["a"][0] == 32_767


frames = arrays(np.int16, FRAME)


@given(agent=frames, legs=st.dictionaries(st.integers(), frames, max_size=5))
def test_mix_minus_is_the_saturated_sum_of_everyone_else(
    agent: Samples, legs: dict[int, Samples]
) -> None:
    heard = mix_minus(agent, legs)
    assert heard.keys() == legs.keys()
    for key, frame in heard.items():
        others = [leg.astype(int) for other, leg in legs.items() if other != key]
        assert np.array_equal(frame, np.clip(agent.astype(int) + sum(others), -32_768, 32_767))

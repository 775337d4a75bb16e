import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from runtime.media.audio.mixer import mix, mix_minus
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


def test_sums_reach_full_scale_instead_of_wrapping() -> None:
    assert mix([constant(30_000)] * 3, FRAME)[0] >= 32_766
    assert mix([constant(-30_000)] * 3, FRAME)[0] <= -32_766
    assert mix_minus(constant(30_000), {"a": constant(1), "b": constant(30_000)})["a"][0] >= 32_700


def test_two_loud_voices_are_bent_and_not_cut_off() -> None:
    """Clipping flattens every crest to one value, which the ear and a recogniser hear as a rasp."""
    times = np.arange(960) / 48_000
    voices = [(18_000 * np.sin(2 * np.pi * hz * times)).astype(np.int16) for hz in (200.0, 210.0)]
    loud = mix(voices, 960)
    exact = voices[0].astype(int) + voices[1]
    assert np.abs(exact).max() > 32_767
    assert np.abs(loud.astype(int)).max() < 32_767
    assert harmonics(loud, 200) < harmonics(np.clip(exact, -32_768, 32_767), 200) / 3


def harmonics(sound: np.ndarray[tuple[int], np.dtype[np.int16]], hz: int) -> float:
    """The power far above a tone, by its own."""
    spectrum = np.abs(np.fft.rfft(sound * np.hanning(sound.size))) ** 2
    per_bin = 48_000 / sound.size
    return float(spectrum[int(hz * 12 / per_bin) :].sum() / spectrum.sum())


def test_frames_join_without_a_step() -> None:
    times = np.arange(960 * 10) / 48_000
    voice = (25_000 * np.sin(2 * np.pi * 97 * times)).astype(np.int16)
    whole = mix([voice, voice], voice.size)
    parts = [mix([part, part], 960) for part in np.split(voice, 10)]
    assert np.array_equal(np.concatenate(parts), whole)


frames = arrays(np.int16, FRAME)


@given(agent=frames, legs=st.dictionaries(st.integers(), frames, max_size=5))
def test_mix_minus_is_the_sum_of_everyone_else_limited_softly(
    agent: Samples, legs: dict[int, Samples]
) -> None:
    heard = mix_minus(agent, legs)
    assert heard.keys() == legs.keys()
    for key, frame in heard.items():
        others = [leg.astype(int) for other, leg in legs.items() if other != key]
        exact = agent.astype(int) + sum(others)
        if len(legs) == 1:
            assert np.array_equal(frame, agent)
            continue
        heard_as_is = np.abs(exact) <= 24_576
        assert np.array_equal(frame[heard_as_is], exact[heard_as_is])
        assert np.all(np.abs(frame.astype(int)) <= np.minimum(np.abs(exact), 32_767))
        assert np.all(np.abs(frame[~heard_as_is].astype(int)) >= 24_576)
        assert np.array_equal(np.sign(frame), np.sign(exact))

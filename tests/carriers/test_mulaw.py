from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from carriers.mulaw import from_mulaw, to_mulaw


def test_the_ends_and_the_middle_of_the_scale() -> None:
    assert [to_mulaw(sample) for sample in (0, 32767, -32768)] == [0xFF, 0x80, 0x00]
    assert [from_mulaw(code) for code in (0xFF, 0x80, 0x00)] == [0, 32124, -32124]


def test_every_code_comes_back() -> None:
    # 0x7F is minus nothing.
    assert [to_mulaw(from_mulaw(code)) for code in range(256) if code != 0x7F] == [
        code for code in range(256) if code != 0x7F
    ]


@given(st.integers(-32768, 32767))
def test_a_sample_loses_at_most_its_segments_step(sample: int) -> None:
    assert abs(from_mulaw(to_mulaw(sample)) - sample) <= max(8, abs(sample) // 16)

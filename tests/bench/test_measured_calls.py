import pytest

from bench.measured_calls import lateness_ms


def test_a_frame_is_late_against_the_earliest_one_of_its_call() -> None:
    sent_at = [(0, 5.000), (1, 9.010), (0, 5.003), (1, 9.000)]
    assert lateness_ms(sent_at) == pytest.approx([0.0, 3.0, 10.0, 0.0])

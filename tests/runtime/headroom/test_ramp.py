"""How fast calls are claimed that nothing is known of yet."""

from __future__ import annotations

import pytest

from runtime.headroom.ramp import BURST, STRAINED_BURST, Ramp


def claims_within(ramp: Ramp, seconds: float, calls: int, is_strained: bool = False) -> list[float]:
    """When a worker with ``calls`` claims more, if there are always some."""
    claimed_at, now = [], 0.0
    while True:
        now += ramp.pause_seconds(now, calls + len(claimed_at), is_strained)
        if now >= seconds:
            return claimed_at
        ramp.claimed(now)
        claimed_at.append(now)


def test_a_burst_on_an_idle_worker_is_taken_at_once():
    assert claims_within(Ramp(), 1.0, calls=0) == [0.0] * BURST


def test_a_worker_doubles_its_calls_once_a_second():
    claimed_at = claims_within(Ramp(), 3.0, calls=10)
    assert [claimed_at.count(second) for second in (0.0, 1.0, 2.0)] == [10, 20, 40]


def test_near_a_limit_four_calls_are_claimed_in_a_second():
    claimed_at = claims_within(Ramp(), 3.0, calls=20, is_strained=True)
    assert [claimed_at.count(second) for second in (0.0, 1.0, 2.0)] == [STRAINED_BURST] * 3


def test_calls_that_come_one_after_the_other_never_wait():
    ramp = Ramp()
    for number in range(100):
        now = number * 0.26
        assert ramp.pause_seconds(now, number, is_strained=True) == 0.0
        ramp.claimed(now)


def test_strain_during_a_burst_makes_the_rest_wait_for_the_first_ones():
    ramp = Ramp()
    for number in range(6):
        ramp.claimed(number * 0.1)
    assert ramp.pause_seconds(0.6, 6, is_strained=False) == 0.0
    assert ramp.pause_seconds(0.6, 6, is_strained=True) == pytest.approx(1.2 - 0.6)

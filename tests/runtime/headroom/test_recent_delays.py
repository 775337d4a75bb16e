"""More than one long delay in a hundred over the last five seconds is too many."""

from __future__ import annotations

from runtime.headroom.recent_delays import RecentDelays

LIMIT, CALM = 0.015, 0.010


def delays(tolerated: float = 0.01) -> RecentDelays:
    return RecentDelays(LIMIT, CALM, tolerated)


def observe(recent: RecentDelays, at: float, good: int = 0, strained: int = 0, long: int = 0):
    for delay, times in ((0.001, good), (0.012, strained), (0.020, long)):
        for _ in range(times):
            recent.observe(delay, at)


def test_one_long_delay_in_a_hundred_is_tolerated_and_no_more():
    recent = delays()
    observe(recent, 10.0, good=198, long=2)
    assert not recent.are_above_limit(5.5)
    observe(recent, 10.9, long=1)
    assert recent.are_above_limit(5.9)


def test_calm_has_a_lower_bound_of_its_own():
    recent = delays()
    observe(recent, 10.0, good=100, strained=5)
    assert recent.are_above_calm(5.0)
    assert not recent.are_above_limit(5.0)


def test_what_is_exactly_at_a_bound_is_not_above_it():
    recent = delays(tolerated=0.0)
    recent.observe(LIMIT, 10.0)
    assert not recent.are_above_limit(5.0)
    assert recent.are_above_calm(5.0)


def test_few_delays_count_as_a_hundred():
    recent = delays()
    observe(recent, 10.0, good=9, long=1)
    assert not recent.are_above_limit(5.0)
    observe(recent, 10.0, long=1)
    assert recent.are_above_limit(5.0)


def test_where_nothing_is_tolerated_a_single_one_is_too_many():
    recent = delays(tolerated=0.0)
    observe(recent, 10.0, good=1_000, long=1)
    assert recent.are_above_limit(5.0)


def test_seconds_before_those_asked_about_do_not_count():
    recent = delays()
    observe(recent, 10.5, long=10)
    observe(recent, 11.5, good=10)
    assert recent.are_above_limit(10.9), "asked about a part of it"
    assert not recent.are_above_limit(11.0)


def test_a_second_is_forgotten_after_five_more_and_takes_no_more_room():
    recent = delays()
    observe(recent, 10.5, long=10)
    for second in range(11, 15):
        observe(recent, second, good=1)
        assert recent.are_above_limit(0.0)
    observe(recent, 15.0, good=1)
    assert not recent.are_above_limit(0.0)

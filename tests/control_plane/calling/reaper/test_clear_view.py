from __future__ import annotations

from control_plane.calling.reaper.clear_view import ClearView


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def test_nobody_is_judged_before_workers_had_time_to_renew() -> None:
    clock = Clock()
    view = ClearView(6, clock)
    assert not view.is_clear
    view.seen("one", clock.now)
    clock.now += 5.9
    view.seen("one", clock.now)
    assert not view.is_clear
    clock.now += 0.1
    assert view.is_clear


def test_an_outage_starts_the_wait_again() -> None:
    clock = Clock()
    view = ClearView(6, clock)
    view.seen("one", clock.now)
    clock.now += 60
    view.lost()
    assert not view.is_clear
    view.seen("one", clock.now)
    assert not view.is_clear
    clock.now += 6
    assert view.is_clear


def test_a_redis_that_was_started_again_without_being_missed_starts_the_wait_again() -> None:
    clock = Clock()
    view = ClearView(6, clock)
    view.seen("one", clock.now)
    clock.now += 60
    view.seen("one", clock.now)
    assert view.is_clear
    view.seen("another", clock.now)
    assert not view.is_clear
    clock.now += 6
    view.seen("another", clock.now)
    assert view.is_clear


def test_a_redis_whose_clock_is_put_forward_starts_the_wait_again() -> None:
    """By that clock, every lease lapses at once."""
    clock = Clock()
    view = ClearView(6, clock)
    view.seen("one", 1_000_000)
    clock.now += 60
    view.seen("one", 1_000_061)
    assert view.is_clear, "it is only a little faster"
    clock.now += 2
    view.seen("one", 1_000_093)
    assert not view.is_clear
    clock.now += 6
    view.seen("one", 1_000_099)
    assert view.is_clear


def test_a_redis_whose_clock_is_put_back_is_trusted() -> None:
    """Leases last longer then."""
    clock = Clock()
    view = ClearView(6, clock)
    view.seen("one", 1_000_000)
    clock.now += 60
    view.seen("one", 999_000)
    assert view.is_clear

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
    view.seen("one")
    clock.now += 5.9
    view.seen("one")
    assert not view.is_clear
    clock.now += 0.1
    assert view.is_clear


def test_an_outage_starts_the_wait_again() -> None:
    clock = Clock()
    view = ClearView(6, clock)
    view.seen("one")
    clock.now += 60
    view.lost()
    assert not view.is_clear
    view.seen("one")
    assert not view.is_clear
    clock.now += 6
    assert view.is_clear


def test_a_redis_that_was_started_again_without_being_missed_starts_the_wait_again() -> None:
    clock = Clock()
    view = ClearView(6, clock)
    view.seen("one")
    clock.now += 60
    view.seen("one")
    assert view.is_clear
    view.seen("another")
    assert not view.is_clear
    clock.now += 6
    view.seen("another")
    assert view.is_clear

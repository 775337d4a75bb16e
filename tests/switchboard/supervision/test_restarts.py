from __future__ import annotations

from switchboard.supervision.restarts import Restarts


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def waits(restarts: Restarts, clock: Clock, lives: list[float]) -> list[float | None]:
    """How long the process waits after each of its lives."""
    waited = []
    for lived_seconds in lives:
        restarts.started()
        clock.now += lived_seconds
        restarts.ended()
        waited.append(restarts.wait_seconds)
        clock.now += restarts.wait_seconds or 0.0
    return waited


def test_waits_twice_as_long_after_each_quick_end() -> None:
    clock = Clock()
    assert waits(Restarts(clock, first_seconds=1), clock, [0, 0, 0]) == [1, 2, 4]


def test_never_waits_longer_than_the_longest() -> None:
    clock = Clock()
    restarts = Restarts(clock, first_seconds=1, longest_seconds=5)
    assert waits(restarts, clock, [0] * 50)[-1] == 5


def test_a_long_life_is_forgiven() -> None:
    clock = Clock()
    restarts = Restarts(clock, first_seconds=1, forgiven_after_seconds=10)
    assert waits(restarts, clock, [0, 0, 0, 0, 0, 10])[-1] == 1


def test_it_never_ends() -> None:
    """A float has no room for the 1,024th power of two: the supervisor gave up after 3 hours."""
    clock = Clock()
    restarts = Restarts(clock, first_seconds=1, longest_seconds=5)
    assert waits(restarts, clock, [0] * 2000)[-1] == 5


def test_a_process_that_runs_is_not_due() -> None:
    restarts = Restarts(Clock())
    restarts.started()
    restarts.ended()
    restarts.started()
    assert restarts.wait_seconds is None
    assert restarts.starts == 2


def test_a_process_that_is_not_wanted_any_more_is_never_due() -> None:
    restarts = Restarts(Clock())
    restarts.started()
    restarts.ended()
    restarts.never()
    assert restarts.wait_seconds is None


def test_starts_that_fail_are_further_and_further_apart_and_count_as_none() -> None:
    clock = Clock()
    restarts = Restarts(clock, first_seconds=1, forgiven_after_seconds=3)
    waited = []
    for _ in range(4):
        restarts.failed()
        waited.append(restarts.wait_seconds)
        clock.now += restarts.wait_seconds or 0.0
    assert waited == [1, 2, 4, 8]
    assert restarts.starts == 0

from __future__ import annotations

from switchboard.supervision.backoff import Backoff


def test_waits_twice_as_long_after_each_quick_end() -> None:
    backoff = Backoff(first_seconds=1)
    assert [backoff.after(lived_seconds=0) for _ in range(3)] == [1, 2, 4]


def test_never_waits_longer_than_the_longest() -> None:
    backoff = Backoff(first_seconds=1, longest_seconds=5)
    assert [backoff.after(lived_seconds=0) for _ in range(50)][-1] == 5


def test_a_long_life_is_forgiven() -> None:
    backoff = Backoff(first_seconds=1, forgiven_after_seconds=10)
    for _ in range(5):
        backoff.after(lived_seconds=0)
    assert backoff.after(lived_seconds=10) == 1


def test_it_never_ends() -> None:
    """A float has no room for the 1,024th power of two: the supervisor gave up after 3 hours."""
    backoff = Backoff(first_seconds=1, longest_seconds=5)
    assert [backoff.after(lived_seconds=0) for _ in range(2000)][-1] == 5

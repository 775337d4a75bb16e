from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from carriers.replay_guard import ReplayGuard


def test_a_key_is_new_once_until_it_is_forgotten() -> None:
    guard = ReplayGuard()
    assert guard.is_first("nonce", remember_seconds=10, now=100)
    assert not guard.is_first("nonce", remember_seconds=10, now=109.9)
    assert guard.is_first("nonce", remember_seconds=10, now=110)


def test_a_replay_does_not_prolong_the_memory() -> None:
    guard = ReplayGuard()
    guard.is_first("nonce", 10, now=0)
    guard.is_first("nonce", 10, now=9)
    assert guard.is_first("nonce", 10, now=10)


def test_what_would_be_forgotten_first_gives_way_when_the_memory_is_full() -> None:
    guard = ReplayGuard(capacity=2)
    guard.is_first("long", 100, now=0)
    guard.is_first("short", 5, now=0)
    guard.is_first("another", 50, now=1)
    assert guard.forgotten_early == 1
    assert not guard.is_first("long", 100, now=1)
    assert guard.is_first("short", 5, now=1)


def test_a_guard_must_be_able_to_remember_something() -> None:
    with pytest.raises(ValueError, match="capacity"):
        ReplayGuard(capacity=0)


@given(st.lists(st.tuples(st.integers(0, 30), st.floats(0.1, 20), st.floats(0, 3)), max_size=200))
def test_memory_is_bounded_and_no_key_is_new_twice_in_its_time(
    seen: list[tuple[int, float, float]],
) -> None:
    roomy, small = ReplayGuard(), ReplayGuard(capacity=5)
    until: dict[str, float] = {}
    now = 0.0
    for number, remember_seconds, pause in seen:
        now += pause
        key = str(number)
        assert roomy.is_first(key, remember_seconds, now) == (until.get(key, now) <= now)
        until.setdefault(key, 0)
        if until[key] <= now:
            until[key] = now + remember_seconds
        small.is_first(key, remember_seconds, now)
        assert len(small) <= 5

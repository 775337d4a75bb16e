"""What is left of a limit, and when there is more."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from control_plane.rate_limits.quota import WINDOW_SECONDS, Policy, Quota

WINDOW_MS = WINDOW_SECONDS * 1000


def quota(limit: int, previous: int, current: int, elapsed_ms: int) -> Quota:
    return Quota(Policy("key", limit), previous, current, elapsed_ms)


@pytest.mark.parametrize(
    ("previous", "current", "elapsed_ms", "used"),
    [(0, 0, 0, 0), (0, 7, 0, 7), (10, 0, 0, 10), (10, 0, 30_000, 5), (10, 3, 59_999, 3)],
)
def test_the_window_before_counts_for_what_the_sliding_window_still_covers(
    previous: int, current: int, elapsed_ms: int, used: int
) -> None:
    assert quota(100, previous, current, elapsed_ms).used == used


def test_the_fields_are_structured() -> None:
    found = quota(100, 0, 40, 15_500)
    assert found.policy.field == '"key";q=100;w=60'
    assert found.field == '"key";r=60;t=45'


@st.composite
def quotas(draw: st.DrawFn) -> Quota:
    limit = draw(st.integers(1, 10_000))
    counts = st.integers(0, limit)
    return quota(limit, draw(counts), draw(counts), draw(st.integers(0, WINDOW_MS - 1)))


@given(quotas())
def test_after_the_reset_there_is_more_and_a_second_before_there_was_not(found: Quota) -> None:
    wait = found.reset_seconds
    assert 1 <= wait <= 2 * WINDOW_SECONDS
    if not found.remaining:
        assert later(found, wait).remaining
        if wait > 1:
            assert not later(found, wait - 1).remaining


def later(found: Quota, seconds: int) -> Quota:
    """The same counters, with no request in between."""
    windows, elapsed_ms = divmod(found.elapsed_ms + seconds * 1000, WINDOW_MS)
    previous = (found.previous, found.current, 0)[min(windows, 2)]
    current = 0 if windows else found.current
    return Quota(found.policy, previous, current, elapsed_ms)


@given(quotas())
def test_used_and_remaining_add_up_to_the_limit(found: Quota) -> None:
    assert found.remaining == max(0, found.policy.limit - found.used)
    assert found.current <= found.used <= math.ceil(found.current + found.previous)

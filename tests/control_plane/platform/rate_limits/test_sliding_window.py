"""What is left of a limit, from the counts of two windows."""

from __future__ import annotations

import pytest

from control_plane.platform.rate_limits.quota import Policy
from control_plane.platform.rate_limits.sliding_window import SlidingWindow

TEN = Policy("key", 10)


@pytest.mark.parametrize(
    ("previous", "current", "passed_ms", "remaining", "reset_seconds"),
    [
        (0, 0, 0, 10, 1),
        (0, 3, 0, 7, 60),
        (0, 3, 59_500, 7, 1),
        (10, 0, 0, 0, 1),
        (10, 0, 30_000, 5, 1),
        (10, 2, 33_000, 4, 3),
        (10, 8, 30_000, 0, 1),
        (1, 0, 15_000, 10, 45),
    ],
)
def test_the_window_before_counts_with_the_share_that_is_not_over_yet(
    previous: int, current: int, passed_ms: int, remaining: int, reset_seconds: int
) -> None:
    quota = SlidingWindow(previous, current, passed_ms).quota(TEN)
    assert (quota.remaining, quota.reset_seconds) == (remaining, reset_seconds)

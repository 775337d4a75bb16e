"""A farewell is said to its end, if that does not outlast the maximum duration."""

from __future__ import annotations

import pytest

from runtime.call.farewell import LINGER_SECONDS, farewell_seconds


@pytest.mark.parametrize(
    ("started_at", "now", "seconds"),
    [
        (100.0, 694.0, 6.0 - LINGER_SECONDS),
        (100.0, 700.0, 0.0),
        (100.0, 800.0, 0.0),
    ],
    ids=["near the maximum", "at the maximum", "after it"],
)
def test_how_long_a_farewell_may_take(started_at: float, now: float, seconds: float) -> None:
    assert farewell_seconds(started_at, 600, now) == pytest.approx(seconds)

"""A farewell is short, and never outlasts the maximum duration."""

from __future__ import annotations

import pytest

from runtime.call.farewell import LINGER_SECONDS, MAX_FAREWELL_SECONDS, farewell_seconds


@pytest.mark.parametrize(
    ("started_at", "now", "seconds"),
    [
        (None, 5.0, MAX_FAREWELL_SECONDS),
        (100.0, 160.0, MAX_FAREWELL_SECONDS),
        (100.0, 694.0, 6.0 - LINGER_SECONDS),
        (100.0, 700.0, 0.0),
        (100.0, 800.0, 0.0),
    ],
    ids=["nobody joined", "early", "near the maximum", "at the maximum", "after it"],
)
def test_how_long_a_farewell_may_take(started_at: float | None, now: float, seconds: float) -> None:
    assert farewell_seconds(started_at, 600, now) == pytest.approx(seconds)

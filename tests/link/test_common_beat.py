from __future__ import annotations

import pytest

from link.common_beat import seconds_to_beat


@pytest.mark.parametrize(("now", "interval"), [(10.3, 2.0), (11.9, 2.0), (11.9, 1.0), (11.6, 0.5)])
def test_pauses_that_begin_apart_end_together(now: float, interval: float) -> None:
    assert now + seconds_to_beat(interval, now) == pytest.approx(12.0)


@pytest.mark.parametrize("now", [0.0, 0.1, 0.49999, 0.5, 7.25])
def test_a_pause_is_never_longer_than_its_interval_and_never_nothing(now: float) -> None:
    assert 0.0 < seconds_to_beat(0.5, now) <= 0.5

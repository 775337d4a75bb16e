"""Five tries, 1, 2, 4 and 8 s apart, ± 20 %; a dead endpoint is tried more rarely."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from control_plane.notifying.webhooks.delivering.retry_schedule import (
    DEAD_AFTER,
    is_dead,
    next_try_at,
)

AT = datetime(2026, 5, 3, 12, 30, tzinfo=UTC)


def pause(left: int, chance: float, *, dead: bool = False) -> float | None:
    again = next_try_at(left, AT, to_dead_endpoint=dead, chance=chance)
    return None if again is None else (again - AT).total_seconds()


@pytest.mark.parametrize(("left", "seconds"), [(4, 1), (3, 2), (2, 4), (1, 8)])
def test_the_pause_doubles(left: int, seconds: float) -> None:
    assert pause(left, 0.5) == seconds
    assert pause(left, 0.0) == pytest.approx(seconds * 0.8)
    assert pause(left, 1.0) == pytest.approx(seconds * 1.2)


def test_the_fifth_try_is_the_last() -> None:
    assert pause(0, 0.5) is None


def test_a_dead_endpoint_is_still_tried_but_minutes_apart() -> None:
    assert [pause(left, 0.5, dead=True) for left in (4, 3, 2, 1)] == [30, 60, 120, 240]


def test_an_endpoint_is_dead_when_everything_has_failed_for_an_hour() -> None:
    assert not is_dead(None, AT)
    assert not is_dead(AT - DEAD_AFTER + timedelta(seconds=1), AT)
    assert is_dead(AT - DEAD_AFTER, AT)

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from control_plane.money.billing.period import period_end, period_start
from control_plane.platform.errors import InvalidRequest


def test_a_date_starts_at_midnight_utc() -> None:
    assert period_start("2026-01-31") == datetime(2026, 1, 31, tzinfo=UTC)


def test_the_last_day_counts_to_its_end() -> None:
    assert period_end("2026-01-31") == datetime(2026, 2, 1, tzinfo=UTC)
    assert period_end("2026-01-31T10:00:00Z") == datetime(2026, 2, 1, tzinfo=UTC)


@pytest.mark.parametrize("text", ["2026-01-31T01:00:00+02:00", "2026-01-31T01:00:00 02:00"])
def test_a_zone_is_respected_even_with_an_unescaped_plus(text: str) -> None:
    assert period_start(text) == datetime(2026, 1, 30, 23, tzinfo=UTC)


def test_no_bound_is_no_bound() -> None:
    assert period_start(None) is None
    assert period_end(None) is None


def test_the_end_of_time_is_no_bound() -> None:
    assert period_end("9999-12-31") is None


@pytest.mark.parametrize("text", ["", "yesterday", "2026-13-01", "31.01.2026", "1e9"])
def test_what_is_no_date_is_refused(text: str) -> None:
    with pytest.raises(InvalidRequest):
        period_start(text)
    with pytest.raises(InvalidRequest):
        period_end(text)

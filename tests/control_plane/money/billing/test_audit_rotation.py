"""Every day's turn comes, and together the spans cover all of time."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from control_plane.money.billing.audits.rotation import NEWEST_DAYS, AuditedDay, in_turn

FIRST = date(2026, 1, 1)
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def audited(*days: tuple[int, int | None]) -> list[AuditedDay]:
    """By number of the day and how many hours ago its last audit was."""
    return [
        AuditedDay(
            FIRST + timedelta(days=number), None if ago is None else NOON - timedelta(hours=ago)
        )
        for number, ago in days
    ]


def order(days: list[AuditedDay]) -> list[int]:
    return [(span.day - FIRST).days for span in in_turn(days)]


def test_a_ledger_without_entries_has_no_days() -> None:
    assert order([]) == []


def test_the_newest_days_come_first_then_those_never_audited_then_the_longest_ago() -> None:
    days = audited((0, 2), (1, None), (2, 9), (3, None), (4, 1), (5, 1), (6, 1))
    assert order(days) == [5, 6, 1, 3, 2, 0, 4]


def test_a_day_that_was_wrong_is_next_until_it_is_right() -> None:
    wrong = AuditedDay(FIRST + timedelta(days=3), NOON, balanced=False)
    days = [*audited((0, 2), (1, None), (2, 9)), wrong, *audited((4, 1), (5, 1))]
    assert order(days) == [4, 5, 3, 1, 2, 0]


@given(
    numbers=st.lists(st.integers(0, 2_000), min_size=1, max_size=30, unique=True).map(sorted),
    data=st.data(),
)
def test_each_day_has_one_turn_and_no_time_is_left_out(
    numbers: list[int], data: st.DataObject
) -> None:
    ages = data.draw(
        st.lists(st.none() | st.integers(0, 99), min_size=len(numbers), max_size=len(numbers))
    )
    spans = list(in_turn(audited(*zip(numbers, ages, strict=True))))
    in_order = sorted(spans, key=lambda span: span.day)
    assert [(span.day - FIRST).days for span in in_order] == numbers
    assert in_order[0].since is None
    assert in_order[-1].until is None
    assert [span.until for span in in_order[:-1]] == [span.since for span in in_order[1:]]
    assert {span.day for span in spans[:NEWEST_DAYS]} == {
        span.day for span in in_order[-NEWEST_DAYS:]
    }

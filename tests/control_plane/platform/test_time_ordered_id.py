"""UUIDs of version 7. Source: RFC 9562."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import RFC_4122

from hypothesis import given
from hypothesis import strategies as st

from control_plane.platform.time_ordered_id import time_ordered_id

MOMENTS = st.datetimes(
    min_value=datetime(1970, 1, 1), max_value=datetime(9999, 12, 30), timezones=st.just(UTC)
)


def test_it_begins_with_the_milliseconds_of_the_example_in_the_rfc() -> None:
    """RFC 9562, appendix A.6: Tuesday, February 22, 2022 2:22:22.00 PM GMT-05:00."""
    at = datetime(2022, 2, 22, 19, 22, 22, tzinfo=UTC)
    assert str(time_ordered_id(at)).startswith("017f22e2-79b0-7")


@given(MOMENTS)
def test_version_and_variant_are_those_of_the_rfc(moment: datetime) -> None:
    made = time_ordered_id(moment)
    assert (made.version, made.variant) == (7, RFC_4122)


@given(MOMENTS)
def test_a_later_microsecond_makes_a_greater_id(moment: datetime) -> None:
    assert time_ordered_id(moment) < time_ordered_id(moment + timedelta(microseconds=1))


def test_ids_of_one_moment_differ_in_all_their_random_bits() -> None:
    at = datetime(2026, 1, 1, tzinfo=UTC)
    made = [time_ordered_id(at).int & (1 << 62) - 1 for _ in range(400)]
    assert len(set(made)) == len(made)
    set_somewhere, set_everywhere = 0, (1 << 62) - 1
    for each in made:
        set_somewhere |= each
        set_everywhere &= each
    assert (set_somewhere, set_everywhere) == ((1 << 62) - 1, 0)

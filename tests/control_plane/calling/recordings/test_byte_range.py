from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from control_plane.calling.recordings.byte_range import ByteRange, matches_etag, requested_range
from control_plane.calling.recordings.errors import RangeNotSatisfiable


@pytest.mark.parametrize(
    ("header", "wanted"),
    [
        (None, None),
        ("bytes=0-99", ByteRange(0, 100)),
        ("Bytes = 10-", ByteRange(10, 1000)),
        ("bytes=-10", ByteRange(990, 1000)),
        ("bytes=-5000", ByteRange(0, 1000)),
        ("bytes=999-999", ByteRange(999, 1000)),
        ("bytes=0-5000", ByteRange(0, 1000)),
        ("bytes=9-3", None),
        ("bytes=-", None),
        ("bytes=٣-٤", None),
        (f"bytes=0-{'9' * 5000}", None),
    ],
)
def test_what_a_header_asks_of_1000_bytes(header: str | None, wanted: ByteRange | None) -> None:
    assert requested_range(header, 1000) == wanted


@pytest.mark.parametrize("header", ["bytes=1000-", "bytes=-0", "bytes=1000-1001"])
def test_bytes_that_are_not_there(header: str) -> None:
    with pytest.raises(RangeNotSatisfiable):
        requested_range(header, 1000)


@given(header=st.text() | st.from_regex(r"bytes=\d*-\d*"), size=st.integers(0, 10**12))
def test_whatever_is_asked_is_within_the_file(header: str, size: int) -> None:
    try:
        wanted = requested_range(header, size)
    except RangeNotSatisfiable:
        return
    assert wanted is None or 0 <= wanted.start < wanted.end <= size


def test_a_tag_is_named_weakly_or_strongly() -> None:
    assert matches_etag('"a", W/"b"', '"b"')
    assert matches_etag("*", '"b"')
    assert not matches_etag('"a"', '"b"')

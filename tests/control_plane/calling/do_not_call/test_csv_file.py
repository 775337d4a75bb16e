"""CSV files as spreadsheets, exports and people write them."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from control_plane.calling.do_not_call.csv_file import read_csv
from control_plane.calling.do_not_call.schemas import MAX_REASON, MAX_REPORTED_ROWS
from control_plane.platform.errors import InvalidRequest

A, B = "+14155550100", "+442079460000"


@pytest.mark.parametrize(
    "text",
    [
        f"{A}\n{B}\n",
        f"{A}\r\n{B}\r\n",
        f"{A}\r{B}",
        f"number\n{A}\n{B}",
        f"\ufeffnumber\n{A}\n{B}",
        f"\n\nnumber\n\n{A}\n  \n{B}\n\n",
        f'"number","reason"\r\n"{A}",""\r\n"{B}",""\r\n',
        f"number;reason\n{A};\n{B};\n",
        f"number\treason\n{A}\t\n{B}\n",
        f"Name, NUMBER \nAda,{A}\nGrace,{B}\n",
        "+1 (415) 555-0100\n+44 20 7946 0000\n",
        f"{A},\n{B}",
    ],
)
def test_these_all_say_the_same(text: str) -> None:
    read = read_csv(text.encode())
    assert read.reasons == {A: None, B: None}
    assert (read.repeated, read.rejected) == (0, 0)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (f"{A},Asked us to stop", "Asked us to stop"),
        (f"reason,number\nStop,{A}", "Stop"),
        (f'number;reason\n{A};"said; ""never"""', 'said; "never"'),
        (f'{A},"two\nlines"', "two\nlines"),
        (f'number,reason\n{A},"a;b;c"', "a;b;c"),
        (f"{A},  ", None),
        (f"number,note\n{A},Stop", None),
    ],
)
def test_a_reason_is_read(text: str, reason: str | None) -> None:
    assert read_csv(text.encode()).reasons == {A: reason}


def test_the_first_of_several_rows_counts() -> None:
    read = read_csv(f"{A},first\n+1-415-555-0100,second\n{A}\n".encode())
    assert (read.reasons, read.repeated) == ({A: "first"}, 2)


def test_a_row_that_cannot_be_used_is_named_and_does_not_stop_the_others() -> None:
    rows = ["number,reason", "4155550100", A, "", "+999123456", f"{B},{'x' * (MAX_REASON + 1)}"]
    read = read_csv("\n".join(rows).encode())
    assert read.reasons == {A: None}
    assert [row for row, _ in read.rejected_rows] == [2, 5, 6]
    assert ["'+'" in read.rejected_rows[0][1], "501 characters" in read.rejected_rows[2][1]] == [
        True,
        True,
    ]


def test_only_the_first_rejected_rows_are_named() -> None:
    read = read_csv(b"no\n" * (MAX_REPORTED_ROWS + 50))
    assert read.rejected == MAX_REPORTED_ROWS + 50
    assert len(read.rejected_rows) == MAX_REPORTED_ROWS


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"", "empty"),
        (b" \r\n \n", "empty"),
        (b"\xef\xbb\xbf", "empty"),
        ("number,reason\n+14155550100,café\n".encode("latin-1"), "line 2 has the byte 0xE9"),
        ("number\n+14155550100\n".encode("utf-16"), "UTF-16"),
        (b"\x89PNG\r\n\x1a\n", "not UTF-8"),
        (b'number\n"+14155550100\n', "line 2"),
        (b'number\n"+1415"5550100\n', "line 2"),
        (b"+14155550100," + b"x" * 200_000, "field larger"),
    ],
)
def test_a_file_that_cannot_be_read_is_refused_as_a_whole(body: bytes, message: str) -> None:
    with pytest.raises(InvalidRequest, match=message):
        read_csv(body)


def test_what_cannot_be_stored_is_rejected() -> None:
    read = read_csv(f"{A},a\0b\n{B}\0\n".encode())
    assert (read.reasons, read.rejected) == ({}, 2)


@given(st.binary(max_size=400))
def test_no_bytes_break_it(body: bytes) -> None:
    try:
        read = read_csv(body)
    except InvalidRequest:
        return
    assert all(number.startswith("+") for number in read.reasons)
    assert len(read.rejected_rows) <= read.rejected


@given(
    st.dictionaries(
        st.integers(0, 9999).map(lambda n: f"+1415555{n:04}"),
        st.text(st.characters(codec="utf-8", exclude_characters="\0\r"), max_size=MAX_REASON),
        min_size=1,
        max_size=20,
    ),
    st.sampled_from(",;\t"),
    st.sampled_from(["\n", "\r\n"]),
    st.booleans(),
)
def test_what_a_csv_writer_writes_is_read_back(
    reasons: dict[str, str], delimiter: str, line_end: str, has_mark: bool
) -> None:
    file = io.StringIO(newline="")
    writer = csv.writer(file, delimiter=delimiter, lineterminator=line_end)
    writer.writerow(["number", "reason"])
    writer.writerows(reasons.items())
    body = file.getvalue().encode("utf-8-sig" if has_mark else "utf-8")
    expected = {number: reason.strip() or None for number, reason in reasons.items()}
    assert read_csv(body).reasons == expected

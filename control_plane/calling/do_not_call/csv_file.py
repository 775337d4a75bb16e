"""Reads a do-not-call list from a CSV file as spreadsheets write it. Pure."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from dataclasses import dataclass, field

from control_plane.calling.do_not_call.schemas import MAX_REASON, MAX_REPORTED_ROWS
from control_plane.calling.numbers.phone_number import e164
from control_plane.platform.errors import InvalidRequest

NUMBER_COLUMN = "number"
REASON_COLUMN = "reason"
_DELIMITERS = ",;\t"
_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")


@dataclass
class ReadFile:
    reasons: dict[str, str | None] = field(default_factory=dict)
    """By number in E.164, in the order of the file. The first row of a repeated number counts."""
    repeated: int = 0
    """Rows whose number is also in an earlier row."""
    rejected: int = 0
    rejected_rows: list[tuple[int, str]] = field(default_factory=list)
    """Row number and error of the first ``MAX_REPORTED_ROWS`` rejected rows."""


def read_csv(body: bytes) -> ReadFile:
    """Read numbers and reasons. A row that cannot be used does not stop the import of the others.

    A header row with ``number``, and optionally ``reason``, names the columns. Without one, the
    first column is the number and the second the reason. Commas, semicolons or tabs separate the
    columns. A row takes about 20 µs, so call this off the event loop.

    Raises:
        InvalidRequest: the file is empty or not UTF-8, or its quotes do not match.
    """
    read = ReadFile()
    number_column, reason_column = 0, 1
    is_first = True
    for row, cells in _rows(_text_of(body)):
        names = [cell.strip().lower() for cell in cells]
        if is_first and NUMBER_COLUMN in names:
            number_column = names.index(NUMBER_COLUMN)
            reason_column = names.index(REASON_COLUMN) if REASON_COLUMN in names else len(names)
        elif any(names):
            _take(read, row, _cell(cells, number_column), _cell(cells, reason_column))
        is_first = is_first and not any(names)
    return read


def _text_of(body: bytes) -> str:
    if body.startswith(_UTF16_MARKS):
        raise InvalidRequest.at("body", "is UTF-16; save the file as CSV in UTF-8")
    try:
        text = body.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = body.count(b"\n", 0, error.start) + 1
        raise InvalidRequest.at(
            "body",
            f"is not UTF-8: line {line} has the byte 0x{body[error.start]:02X}; "
            "save the file as CSV in UTF-8",
        ) from None
    if not text.strip():
        raise InvalidRequest.at("body", "is empty; send a CSV file with a column 'number'")
    return text


def _rows(text: str) -> Iterator[tuple[int, list[str]]]:
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=_delimiter_of(text), strict=True)
    try:
        yield from enumerate(reader, start=1)
    except csv.Error as error:
        raise InvalidRequest.at("body", f"is not CSV at line {reader.line_num}: {error}") from None


def _delimiter_of(text: str) -> str:
    """The first delimiter outside quotes in the first line that is not empty."""
    first_line = text.lstrip().splitlines()[0]
    is_quoted = False
    for character in first_line:
        if character == '"':
            is_quoted = not is_quoted
        elif character in _DELIMITERS and not is_quoted:
            return character
    return ","


def _cell(cells: list[str], column: int) -> str:
    return cells[column].strip() if column < len(cells) else ""


def _take(read: ReadFile, row: int, number: str, reason: str) -> None:
    try:
        normalised = e164(number)
        _check_reason(reason)
    except ValueError as error:
        read.rejected += 1
        if read.rejected <= MAX_REPORTED_ROWS:
            read.rejected_rows.append((row, str(error)))
        return
    if normalised in read.reasons:
        read.repeated += 1
    else:
        read.reasons[normalised] = reason or None


def _check_reason(reason: str) -> None:
    if len(reason) > MAX_REASON:
        raise ValueError(
            f"the reason has {len(reason)} characters; it may have at most {MAX_REASON}"
        )
    if "\0" in reason:
        raise ValueError("the reason contains the character U+0000, which cannot be stored")

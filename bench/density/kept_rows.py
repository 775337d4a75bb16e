"""Rows in a file, a line of JSON each, so that a table can be measured in pieces."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pydantic import TypeAdapter

from bench.density.row import Row

_ROW = TypeAdapter(Row)


def keep(path: Path, rows: Sequence[Row]) -> None:
    with path.open("ab") as file:
        for row in rows:
            file.write(_ROW.dump_json(row) + b"\n")


def kept(path: Path) -> list[Row]:
    """In the order of the table: a condition that was measured again counts once, with its last
    figures."""
    if not path.exists():
        return []
    rows = [_ROW.validate_json(line) for line in path.read_bytes().splitlines()]
    last = {(row.condition, row.minute): row for row in rows}
    return sorted(last.values(), key=_place)


def _place(row: Row) -> tuple[bool, float, int, str, int, int]:
    of = row.condition
    return (
        of.vendors != "offline",
        of.neighbor,
        of.calls,
        of.build,
        of.processes,
        row.minute or 0,
    )

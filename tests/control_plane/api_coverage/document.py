"""``docs/api-coverage.md``: the specified endpoints and refusals beside what the app does."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path

HERE = Path(__file__).parent
DOCUMENT = HERE.parents[2] / "docs" / "api-coverage.md"

_INTRODUCTION = """\
# API coverage

For developers who want to know whether an endpoint exists, which errors it can answer with, and
which test shows that. `make docs` writes this page from the API's tables of endpoints and errors
and from the application's own routes. A test fails if it is out of date.

Each area has a table of its endpoints; "—" marks an endpoint that this release does not have. Where
the area has documented errors, a second table names the tests that show them.
"""


@dataclass(frozen=True)
class Endpoint:
    """One row of the API's endpoint tables."""

    area: str
    method: str
    path: str
    """With ``:name`` for a parameter."""


@dataclass(frozen=True)
class Refusal:
    """One row of the API's error tables."""

    area: str
    operation: str
    status: int
    condition: str
    code: str = ""
    tests: tuple[str, ...] = ()
    """``path/to/test_file.py::test_name`` of what shows it."""
    note: str = ""


@dataclass(frozen=True)
class Route:
    """One route of the app."""

    method: str
    path: str
    """With ``{name}`` for a parameter."""
    summary: str = field(compare=False)


def read_endpoints() -> list[Endpoint]:
    return [Endpoint(**row) for row in json.loads((HERE / "endpoints.json").read_text())]


def read_refusals() -> list[Refusal]:
    rows = json.loads((HERE / "refusals.json").read_text())
    return [Refusal(**row | {"tests": tuple(row.get("tests", ()))}) for row in rows]


def shape(path: str) -> str:
    """A path without its parameters' names, which the tables and the app choose freely."""
    return re.sub(r":\w+|\{\w+\}", "*", path)


def render(
    endpoints: Iterable[Endpoint], refusals: Iterable[Refusal], routes: Iterable[Route]
) -> str:
    """The document's text."""
    endpoints = list(endpoints)
    by_shape = {(route.method, shape(route.path)): route for route in routes}
    specified = {(each.method, shape(each.path)) for each in endpoints}
    further = [route for key, route in by_shape.items() if key not in specified]
    of_area = {
        area: list(rows) for area, rows in groupby(refusals, key=lambda refusal: refusal.area)
    }
    lines = [_INTRODUCTION]
    for area, rows in groupby(endpoints, key=lambda endpoint: endpoint.area):
        lines += _endpoint_table(area, list(rows), by_shape)
        lines += _refusal_table(of_area.get(area, []))
    lines += _further_table(further)
    return "\n".join(lines) + "\n"


def _endpoint_table(
    area: str, rows: list[Endpoint], by_shape: dict[tuple[str, str], Route]
) -> Iterator[str]:
    found = [(row, by_shape.get((row.method, shape(row.path)))) for row in rows]
    here = sum(route is not None for _, route in found)
    yield f"## {area} ({here} of {len(rows)})\n"
    yield "| Method | Path | What it does |"
    yield "|---|---|---|"
    for row, route in found:
        yield f"| {row.method} | {row.path} | {route.summary if route else '—'} |"
    yield ""


def _refusal_table(rows: list[Refusal]) -> Iterator[str]:
    if not rows:
        return
    yield "| Operation | Status | Code | Condition | Shown by |"
    yield "|---|---|---|---|---|"
    for row in rows:
        tests = "<br>".join(f"`{test.removeprefix('tests/')}`" for test in row.tests) or "—"
        shown = f"{tests}<br>{row.note}" if row.note else tests
        code = f"`{row.code}`" if row.code else ""
        yield f"| {row.operation} | {row.status} | {code} | {row.condition} | {shown} |"
    yield ""


def _further_table(routes: list[Route]) -> Iterator[str]:
    yield "## Other routes\n"
    yield "Routes that the API's tables do not list.\n"
    yield "| Method | Path | What it does |"
    yield "|---|---|---|"
    for route in sorted(routes, key=lambda route: (route.path, route.method)):
        yield f"| {route.method} | {route.path} | {route.summary} |"

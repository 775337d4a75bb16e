"""``docs/api-coverage.md`` agrees with the tables and the app, and names tests that exist."""

from __future__ import annotations

import ast
import os
import re
from pathlib import Path

import pytest
from fastapi import FastAPI
from fastapi.routing import iter_route_contexts

from tests.control_plane.api_coverage.document import (
    DOCUMENT,
    Refusal,
    Route,
    read_endpoints,
    read_refusals,
    render,
    shape,
)

ROOT = Path(__file__).parents[3]
UPDATE = "SWITCHBOARD_UPDATE_DOCS"
"""Environment variable: with it, the document is written instead of compared."""
WHOLE_AREAS = (
    "Agents",
    "Calls",
    "Numbers",
    "Webhooks",
    "Notifications",
    "Billing",
    "Sharing (testers and public link)",
)
"""Areas that are complete."""


def routes_of(app: FastAPI) -> list[Route]:
    routes = []
    for route in iter_route_contexts(app.routes):
        for method in route.methods or ():
            if route.path is not None and route.path.startswith("/v1"):
                routes.append(Route(method, route.path, _summary_of(route)))
    return routes


def _summary_of(route: object) -> str:
    """The first sentence of the route's documentation."""
    text = getattr(route, "endpoint", None).__doc__ or ""
    paragraph = " ".join(text.split("\n\n")[0].split())
    return re.split(r"(?<=[.]) (?=[A-Z])", paragraph)[0].replace("|", "\\|").replace("``", "`")


def test_the_document_is_up_to_date(app: FastAPI) -> None:
    text = render(read_endpoints(), read_refusals(), routes_of(app))
    if os.environ.get(UPDATE):
        DOCUMENT.write_text(text)
    assert DOCUMENT.read_text() == text, f"run `make docs` to update {DOCUMENT.name}"


def test_every_row_of_a_whole_area_is_there(app: FastAPI) -> None:
    here = {(route.method, shape(route.path)) for route in routes_of(app)}
    missing = [
        f"{row.method} {row.path}"
        for row in read_endpoints()
        if row.area in WHOLE_AREAS and (row.method, shape(row.path)) not in here
    ]
    assert missing == []


@pytest.mark.parametrize(
    "refusal",
    [pytest.param(row, id=f"{row.operation}-{row.status}-{row.code}") for row in read_refusals()],
)
def test_every_refusal_names_tests_that_exist(refusal: Refusal) -> None:
    if refusal.area in WHOLE_AREAS:
        assert refusal.tests, f"{refusal.operation} {refusal.status}: no test shows it"
    for test in refusal.tests:
        path, _, name = test.partition("::")
        assert name.split("::")[-1] in _functions_of(ROOT / path), f"there is no {test}"


def _functions_of(path: Path) -> set[str]:
    tree = ast.parse(path.read_text())
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
    return {node.name for node in ast.walk(tree) if isinstance(node, kinds)}

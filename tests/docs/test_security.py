"""``docs/security.md`` names tests that exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
PAGE = TESTS.parent / "docs" / "security.md"
ROWS = [line for line in PAGE.read_text().splitlines() if line.startswith("| ") and "`" in line]
_NAMED = re.compile(r"`([\w/]+(?:\.py|/))`")


@pytest.mark.parametrize("row", ROWS, ids=[row[2:50] for row in ROWS])
def test_each_promise_names_what_checks_it(row: str) -> None:
    checks = row.rstrip(" |").rpartition("|")[2]
    folder = TESTS
    named = _NAMED.findall(checks)
    assert named or "`.ci/run`" in checks
    for name in named:
        beside, below = folder / name, TESTS / name
        found = below if "/" in name else beside
        assert found.exists(), f"tests/{found.relative_to(TESTS)} does not exist"
        folder = found.parent

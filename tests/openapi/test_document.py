"""The OpenAPI document is what other people's tools can work with."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.openapi.conftest import HERE, copied, run

pytestmark = pytest.mark.timeout(600)


def test_the_linter_finds_nothing(programs: Path, document: Path) -> None:
    run(
        programs / ".bin" / "spectral",
        *("lint", "--ruleset", "ruleset.yaml", "--fail-severity=hint", document),
        at=HERE,
    )


def test_a_typescript_client_type_checks_and_its_mistakes_do_not(
    programs: Path, document: Path, tmp_path: Path
) -> None:
    for name in ("client.ts", "tsconfig.json", "package.json"):
        copied(name, tmp_path)
    (tmp_path / "node_modules").symlink_to(programs)
    run(programs / ".bin" / "openapi-typescript", document, "-o", "api.d.ts", at=tmp_path)
    run(programs / ".bin" / "tsc", "--project", ".", at=tmp_path)


def test_the_lock_names_no_registry() -> None:
    lock = (HERE / "package-lock.json").read_text()
    assert '"integrity": "sha512-' in lock
    assert not re.search(r'"resolved": "https?:', lock)

"""The lock files name each package's version and hashes, and agree with each other."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.deploy.third_party import ROOT, normal, shipped

LOCK = ROOT / "requirements.lock"
IMAGE_LOCK = ROOT / "deploy" / "image.lock"
BUILD_LOCK = ROOT / "deploy" / "build.lock"
_HASH = re.compile(r"--hash=sha256:[0-9a-f]{64}")


def entries(lock: Path) -> dict[str, tuple[str, frozenset[str]]]:
    """By package: its requirement (version and marker), and its hashes."""
    found = {}
    for entry in re.split(r"^(?=[A-Za-z0-9])", lock.read_text(), flags=re.MULTILINE)[1:]:
        requirement = entry.partition("\\")[0].strip()
        name, separator, _ = requirement.partition("==")
        assert separator, f"{requirement} is not pinned"
        found[normal(name)] = (requirement, frozenset(_HASH.findall(entry)))
    return found


@pytest.mark.parametrize("lock", [LOCK, IMAGE_LOCK, BUILD_LOCK], ids=lambda lock: lock.name)
def test_every_package_has_a_version_and_hashes(lock: Path) -> None:
    locked = entries(lock)
    assert locked
    assert [name for name, (_, hashes) in locked.items() if not hashes] == []
    # No address: hashes say what is fetched, wherever it comes from.
    assert "://" not in re.sub(r"#.*", "", lock.read_text())


def test_the_image_holds_what_the_tests_have_run_with() -> None:
    tested = entries(LOCK)
    for name, (requirement, hashes) in entries(IMAGE_LOCK).items():
        assert requirement.partition(";")[0].strip() == tested[name][0].partition(";")[0].strip()
        assert hashes == tested[name][1]


def test_the_image_holds_what_runs_and_nothing_of_development() -> None:
    held = set(entries(IMAGE_LOCK))
    assert shipped(("offline",)) - held == set()
    assert held & {"pytest", "mypy", "ruff", "playwright", "schemathesis", "hatchling"} == set()


def test_the_build_has_uv_and_the_tested_build_backend() -> None:
    built_with = entries(BUILD_LOCK)
    assert "uv" in built_with
    assert built_with["hatchling"] == entries(LOCK)["hatchling"]

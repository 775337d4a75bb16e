"""ARCHITECTURE.md's map leads from a sentence of the API to its file in two looks.

The first look, at the map, finds the folder; the second, at the folder, finds the file.
``where.json`` has the sentences, as the API's specification words them.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SENTENCES = json.loads((Path(__file__).parent / "where.json").read_text())
TEXT = (ROOT / "ARCHITECTURE.md").read_text()
MAP = TEXT[TEXT.index("## The map") : TEXT.index("## One call")]
FOLDERS_OF_THE_MAP = set(re.findall(r"`([a-z_]+(?:/[a-z_]+)*/)`", MAP))


@pytest.mark.parametrize("row", SENTENCES, ids=[row["sentence"][:40] for row in SENTENCES])
def test_the_map_leads_to_the_file_in_two_looks(row: dict[str, str]) -> None:
    assert row["folder"] in FOLDERS_OF_THE_MAP, "the map does not name the folder"
    assert (ROOT / row["folder"] / row["file"]).is_file(), "the folder does not hold the file"


def test_every_area_that_is_built_is_asked_about() -> None:
    assert len(SENTENCES) >= 20
    assert {row["area"] for row in SENTENCES} == {
        "Addresses",
        "After a call",
        "Agents",
        "Billing",
        "Calls",
        "Catalogue",
        "Keys",
        "Phones",
        "Sharing",
        "Speech",
        "Tenancy",
    }


def test_every_folder_of_the_map_is_there() -> None:
    assert not {folder for folder in FOLDERS_OF_THE_MAP if not (ROOT / folder).is_dir()}


def test_every_domain_of_the_control_plane_is_on_the_map() -> None:
    floors = [path for path in (ROOT / "control_plane").iterdir() if path.is_dir()]
    domains = {
        f"{domain.relative_to(ROOT).as_posix()}/"
        for floor in floors
        if floor.name not in {"migrations", "operator", "__pycache__"}
        for domain in floor.iterdir()
        if (domain / "__init__.py").is_file()
    }
    assert domains <= FOLDERS_OF_THE_MAP


def test_every_file_of_the_steps_of_one_call_is_there() -> None:
    steps = TEXT[TEXT.index("## One call") : TEXT.index("**Death.**")]
    rows = re.findall(r"^\| (\d+) \|", steps, flags=re.MULTILINE)
    assert rows == [str(number) for number in range(1, len(rows) + 1)]
    assert len(rows) <= 12
    for name in re.findall(r"`([a-z_/]+\.py)`", steps):
        assert _holds(name), f"no package holds {name}"


def _holds(name: str) -> bool:
    """Whether ``name``, the end of a path, is in one of the packages."""
    packages = ("contracts", "control_plane", "link", "pipelines", "runtime")
    return any(
        f"/{path.relative_to(ROOT).as_posix()}".endswith(f"/{name}")
        for package in packages
        for path in (ROOT / package).rglob("*.py")
    )

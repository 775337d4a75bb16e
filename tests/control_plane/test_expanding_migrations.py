"""Revisions since release 0.1 only add what that release's processes can live with.

Source: docs/upgrades.md, "Tables". A revision that removes what no running release uses any more
says so: ``UNUSED_SINCE = "0.2"`` names the first release whose processes do not need it.
"""

from __future__ import annotations

import ast
import re
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

from control_plane import migrations
from control_plane.migrate import PREVIOUS_RELEASE

REVISIONS = sorted((Path(migrations.__path__[0]) / "versions").glob("revision_*.py"))
HEAD_OF_RELEASE_0_1 = "0015"
REMOVING_CALLS = {"drop_column", "drop_table", "rename_table"}
REMOVING_SQL = re.compile(
    r"\bDROP\s+(TABLE|COLUMN)\b|\bRENAME\s+(TO|COLUMN)\b|\bSET\s+NOT\s+NULL\b"
    r"|\bALTER\s+COLUMN\s+\S+\s+(SET\s+DATA\s+)?TYPE\b",
    re.IGNORECASE,
)


def removals(source: str) -> list[str]:
    """What a revision does that processes of the previous release may not survive."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            found += [match.group() for match in REMOVING_SQL.finditer(node.value)]
        elif isinstance(node, ast.Call):
            found += _of_call(node)
    return found


def _of_call(call: ast.Call) -> list[str]:
    name = ast.unparse(call.func).removeprefix("op.")
    given = {keyword.arg: ast.unparse(keyword.value) for keyword in call.keywords}
    if name in REMOVING_CALLS:
        return [name]
    if name == "alter_column":
        changes = given.keys() & {"new_column_name", "type_"}
        return sorted(changes) + ["not null"] * (given.get("nullable") == "False")
    if name == "add_column":
        column = " ".join(ast.unparse(argument) for argument in call.args)
        return ["not null"] * ("nullable=False" in column and "server_default" not in column)
    return []


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("op.drop_column('calls', 'plan')", ["drop_column"]),
        ("op.drop_table('calls')", ["drop_table"]),
        ("op.alter_column('calls', 'plan', nullable=False)", ["not null"]),
        ("op.alter_column('calls', 'plan', new_column_name='p')", ["new_column_name"]),
        ("op.alter_column('calls', 'plan', nullable=True)", []),
        ("op.add_column('calls', sa.Column('a', sa.Text(), nullable=False))", ["not null"]),
        ("op.add_column('c', sa.Column('a', sa.Text(), nullable=False, server_default=''))", []),
        ("op.execute('ALTER TABLE calls DROP COLUMN plan')", ["DROP COLUMN"]),
        ("op.execute('ALTER TABLE calls ALTER COLUMN id TYPE text')", ["ALTER COLUMN id TYPE"]),
        ("op.execute('ALTER TABLE calls RENAME TO old')", ["RENAME TO"]),
        ("op.execute('CREATE TABLE a (b uuid NOT NULL)')", []),
    ],
)
def test_a_removal_is_recognised(source: str, found: list[str]) -> None:
    assert removals(source) == found


def test_removals_are_found_in_revisions() -> None:
    """Before release 0.1 there were some, when nothing ran yet."""
    assert any(removals(path.read_text()) for path in REVISIONS)


@pytest.mark.parametrize("path", REVISIONS, ids=lambda path: path.stem)
def test_a_revision_removes_nothing_that_the_previous_release_uses(path: Path) -> None:
    constants = _constants(path.read_text())
    if constants["revision"] <= HEAD_OF_RELEASE_0_1:
        return
    if (unused_since := constants.get("UNUSED_SINCE")) is not None:
        assert _numbers(unused_since) < _numbers(version("switchboard"))
        return
    assert removals(path.read_text()) == []


def test_the_previous_release_is_the_newest_in_the_changelog_below_the_one_that_is_being_made() -> (
    None
):
    """Its ``migrate`` lets our schema pass, and no older one does. So name it, with the newest
    revision that it has, once the section of the release after it has begun."""
    changelog = (Path(__file__).parents[2] / "CHANGELOG.md").read_text()
    _being_made, previous, *_ = re.findall(r"^## (\S+)$", changelog, re.MULTILINE)
    release, newest_revision = PREVIOUS_RELEASE
    assert release == previous
    assert newest_revision in {_constants(path.read_text())["revision"] for path in REVISIONS}


def _constants(source: str) -> dict[str, Any]:
    return {
        target.id: ast.literal_eval(node.value)
        for node in ast.parse(source).body
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant)
        for target in node.targets
        if isinstance(target, ast.Name)
    }


def _numbers(release: str) -> list[int]:
    return [int(number) for number in release.split(".")][:2]

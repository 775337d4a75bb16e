"""``switchboard catalogue load``, on a real database."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from typer.testing import CliRunner

from control_plane.building.catalogue.data_file import CATALOGUE_FILE
from switchboard.cli import app
from switchboard.services.ports import free_port
from switchboard.state import new_secrets, write_secrets


def load(*words: str, **environment: str) -> Result:
    return CliRunner(env=environment).invoke(app, ["catalogue", "load", *words])


@pytest.fixture
def changed_file(tmp_path: Path) -> tuple[Path, dict[str, Any]]:
    """This release's catalogue with a later version and one model that it renames."""
    document = json.loads(CATALOGUE_FILE.read_text())
    document["version"] += 1
    document["models"][0]["label"] = "Renamed"
    path = tmp_path / "catalogue.json"
    path.write_text(json.dumps(document))
    return path, document


def test_the_releases_own_file_is_in_place_already(postgres_url: str) -> None:
    result = load(SWITCHBOARD_DATABASE_URL=postgres_url)
    assert result.exit_code == 0, result.output
    assert "Everything was in place already." in result.stdout


def test_a_changed_file_is_loaded_and_what_it_did_is_said(
    postgres_url: str, changed_file: tuple[Path, dict[str, Any]]
) -> None:
    path, document = changed_file
    model = f"model {document['models'][0]['provider']}/{document['models'][0]['model']}"
    result = load(str(path), "--json", SWITCHBOARD_DATABASE_URL=postgres_url)
    assert result.exit_code == 0, result.output
    report = json.loads(result.stdout)
    assert report["version"] == document["version"]
    assert report["changed"] == [model]
    again = load(str(path), SWITCHBOARD_DATABASE_URL=postgres_url)
    assert "in place already" in again.stdout


def test_the_database_of_what_runs_here_is_the_default(tmp_path: Path, postgres_url: str) -> None:
    write_secrets(tmp_path, new_secrets().model_copy(update={"database_url": postgres_url}))
    result = load("--data-dir", str(tmp_path))
    assert result.exit_code == 0, result.output


def test_a_wrong_file_changes_nothing_and_is_explained(tmp_path: Path, postgres_url: str) -> None:
    path = tmp_path / "catalogue.json"
    path.write_text("{}")
    result = load(str(path), SWITCHBOARD_DATABASE_URL=postgres_url)
    assert result.exit_code == 1
    assert "is not a catalogue" in result.stderr
    assert load(str(tmp_path / "none.json")).exit_code == 2


def test_a_database_that_does_not_answer_is_said_without_a_traceback() -> None:
    url = f"postgresql://nobody@127.0.0.1:{free_port()}/none"
    result = load(SWITCHBOARD_DATABASE_URL=url)
    assert result.exit_code == 1
    assert "The database refused" in result.stderr
    assert "SWITCHBOARD_DATABASE_URL" in result.stderr

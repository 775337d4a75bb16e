"""``switchboard catalogue load``: the catalogue's data file into the database."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import typer
from rich.console import Console
from rich.text import Text
from sqlalchemy.exc import DBAPIError

from control_plane.building.catalogue.data_file import CatalogueFileInvalid
from control_plane.building.catalogue.load import CatalogueConflict, LoadReport, load_catalogue
from switchboard.commands.local_database import database_problem, local_database_url
from switchboard.problems import Problem, show_problem


def load(file: Path | None, *, overwrite: bool, as_json: bool, data_dir: Path | None) -> int:
    """Returns the exit code: 0, or 1 when the file or the database was refused and nothing changed.

    Raises:
        MissingSetting: there is no database to work on.
    """
    notes = Console(stderr=True)
    try:
        report = load_catalogue(local_database_url(data_dir), file, overwrite=overwrite)
    except (CatalogueFileInvalid, CatalogueConflict) as error:
        show_problem(notes, Problem(f"{error}.", "Nothing was changed."))
        return 1
    except DBAPIError as error:
        show_problem(notes, database_problem(error))
        return 1
    if as_json:
        typer.echo(json.dumps(dataclasses.asdict(report), indent=2))
    else:
        _show(Console(), report)
    return 0


def _show(console: Console, report: LoadReport) -> None:
    console.print(f"Catalogue version {report.version} is loaded.", highlight=False)
    lists = {
        "added": report.added,
        "changed": report.changed,
        "switched off": report.switched_off,
        "kept as an operator edited it": report.kept,
    }
    for outcome, names in lists.items():
        for name in names:
            console.print(Text.assemble((f"  {outcome}: ", "dim"), name), soft_wrap=True)
    if not any(lists.values()):
        console.print("  Everything was in place already.", style="dim")

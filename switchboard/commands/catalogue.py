"""``switchboard catalogue``: models, voices, managed SKUs and prices."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from switchboard.commands.options import DataDir

app = typer.Typer(help="Load the catalogue of models, voices and prices.", no_args_is_help=True)


@app.command("load")
def load(
    file: Annotated[
        Path | None,
        typer.Argument(
            exists=True,
            dir_okay=False,
            readable=True,
            help="A catalogue data file. Default: the file of this release",
            show_default=False,
        ),
    ] = None,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Also overwrite what operators have edited.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="For programs.")] = False,
    data_dir: DataDir = None,
) -> None:
    """Bring the catalogue in line with a data file. Safe to repeat.

    Works on SWITCHBOARD_DATABASE_URL, or on the database of the Switchboard that runs here.
    """
    from switchboard.commands.catalogue_load import load as load_file

    raise typer.Exit(load_file(file, overwrite=overwrite, as_json=as_json, data_dir=data_dir))

"""The settings of a command, from its options and the environment."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from switchboard.settings import Settings


def command_settings(data_dir: Path | None, **given: int | None) -> Settings:
    """The environment's settings; what was given on the command line replaces them.

    Ends the program with exit code 2 when a setting is wrong.
    """
    from pydantic import ValidationError

    from switchboard.settings import Settings

    options: dict[str, Any] = {"data_dir": data_dir, **given}
    try:
        return Settings(**{name: value for name, value in options.items() if value is not None})
    except ValidationError as invalid:
        for error in invalid.errors():
            says = error["msg"].removeprefix("Value error, ")
            name = "_".join(str(part) for part in error["loc"]).upper()
            # A rule about several settings names them itself.
            where = f"SWITCHBOARD_{name.removeprefix('SWITCHBOARD_')}: " if name else ""
            typer.echo(where + says, err=True)
        sys.exit(2)

"""The database that a command of the operator works on, and what is wrong with it."""

from __future__ import annotations

from pathlib import Path

from sqlalchemy.exc import DBAPIError

from control_plane.platform.errors import DatabaseUnavailable
from switchboard.commands.settings import command_settings
from switchboard.problems import Problem
from switchboard.settings import MissingSetting
from switchboard.state import read_secrets


def local_database_url(data_dir: Path | None) -> str:
    """The one in the settings, or that of the Switchboard that was started here.

    Raises:
        MissingSetting: there is none.
    """
    settings = command_settings(data_dir)
    if settings.database_url is not None:
        return settings.database_url
    here = read_secrets(settings.data_dir)
    if here is None or here.database_url is None:
        raise MissingSetting("SWITCHBOARD_DATABASE_URL is not set, and nothing was started here")
    return here.database_url


def database_problem(error: DatabaseUnavailable | DBAPIError) -> Problem:
    """In PostgreSQL's own words, if it has said any."""
    cause = error.__cause__ if isinstance(error, DatabaseUnavailable) else error
    words = str(cause.orig if isinstance(cause, DBAPIError) else cause or "").strip()
    return Problem(
        f"The database refused: {words.splitlines()[0]}"
        if words
        else "The database does not answer, or its work took too long.",
        "Start Switchboard, or check SWITCHBOARD_DATABASE_URL.",
    )

"""The database that a command of the operator works on."""

from __future__ import annotations

from pathlib import Path

from switchboard.commands.settings import command_settings
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

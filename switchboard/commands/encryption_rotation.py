"""``switchboard encryption rotate``: every stored secret encrypted with the newest key."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from rich.console import Console
from sqlalchemy.exc import DBAPIError

from contracts.sealing import Sealer
from control_plane.key_rotation import Rotated, rotate
from control_plane.platform.database import Database
from control_plane.platform.errors import DatabaseUnavailable
from switchboard.commands.local_database import database_problem
from switchboard.problems import show_problem
from switchboard.settings import Settings
from switchboard.state import read_secrets

_BATCH_DEADLINE_SECONDS = 60.0


def run_rotation(settings: Settings, say: Callable[[str], None]) -> int:
    """Returns the exit code: 1 if no key opens one of the secrets, or 2 if the database refused.

    Raises:
        MissingSetting: there is no database or no key to work with.
    """
    settings = _with_running_system(settings)
    urls, sealer = settings.serving_urls(), Sealer(settings.all_encryption_keys())
    try:
        done = asyncio.run(_rotate(*urls, sealer))
    except (DatabaseUnavailable, DBAPIError) as error:
        show_problem(Console(stderr=True), database_problem(error))
        return 2
    for column in done:
        lost = f", {column.cannot_be_opened} cannot be opened" if column.cannot_be_opened else ""
        say(f"{column.column}: {column.found} secrets, {column.resealed} encrypted again{lost}")
    return int(any(column.cannot_be_opened for column in done))


async def _rotate(database_url: str, system_url: str | None, sealer: Sealer) -> list[Rotated]:
    database = Database(
        database_url, system_url=system_url, deadline_seconds=_BATCH_DEADLINE_SECONDS
    )
    try:
        return await rotate(database, sealer)
    finally:
        await database.aclose()


def _with_running_system(settings: Settings) -> Settings:
    """Fills what the environment does not set from the system in the data directory."""
    secrets = read_secrets(settings.data_dir)
    if secrets is None:
        return settings
    return settings.model_copy(
        update={
            "database_url": settings.database_url or secrets.database_url,
            "secret_key": settings.secret_key or secrets.secret_key,
        }
    )

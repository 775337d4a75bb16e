"""Bring a database to the current schema. Safe to repeat, and to run from several processes."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import structlog
from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from alembic.script.revision import ResolutionError
from alembic.util import CommandError
from psycopg.errors import DeadlockDetected, InsufficientPrivilege, LockNotAvailable
from sqlalchemy import Connection, Engine, create_engine, text
from sqlalchemy.exc import OperationalError, ProgrammingError

from control_plane.building.catalogue.load import bring_up_to_date
from control_plane.migrations.job_queue import write_job_names
from control_plane.migrations.logins import prepare_logins
from control_plane.migrations.online import LOCK_TIMEOUT_MS
from control_plane.migrations.outbox_log import adopt_restored_log
from control_plane.platform.database import APP_ROLE, SYSTEM_ROLE

MIGRATIONS = Path(__file__).parent / "migrations"
PREVIOUS_RELEASE = ("0.1.0", "0015")
"""The release before the one that is being made, and its newest revision. A database says on which
revision its schema builds, so that the previous release knows that it can work there."""
OLDEST_SERVER = (16,)
"""Of PostgreSQL: the roles are granted ``WITH INHERIT FALSE, SET TRUE``."""
LOCK_PATIENCE_SECONDS = 120.0
"""How long to keep trying a revision after another transaction has blocked it."""

_MIGRATION_LOCK = 0x5377_6974_6368  # any number that no other lock uses
_LOCK_POLL_SECONDS = 0.2
_RETRY_SECONDS = 0.5
_log = structlog.get_logger(__name__)


class DatabaseUnfit(RuntimeError):
    """The database cannot be migrated as it is; the message says why, and what would be right."""


def migrate(
    database_url: str, *, app_url: str | None = None, system_url: str | None = None
) -> None:
    """Apply every migration, and the catalogue's data file if it is newer. Prepare the logins, and
    the outbox of a database that was restored from another cluster.

    It can run while the previous release serves requests: each revision is its own transaction,
    which gives up after ``LOCK_TIMEOUT_MS`` instead of blocking others, and is tried again. So is
    what follows them. The schema of the next release is left as it is, because this one's processes
    run on it.

    The login must own the database and be allowed to create roles.

    Args:
        app_url, system_url: the addresses with which the API and the jobs process will connect.
            Their logins are created if they are missing. Without them, they connect as the owner.

    Raises:
        DatabaseUnfit: the server is too old, the login lacks a right, or a release after the next
            has migrated the database.
        control_plane.migrations.logins.LoginNotPrepared: see there.
        sqlalchemy.exc.OperationalError: PostgreSQL cannot be reached, or a table was in use without
            a pause for ``LOCK_PATIENCE_SECONDS``.
        control_plane.building.catalogue.load.CatalogueConflict: the data file changes a price row.
    """
    logins = {APP_ROLE: app_url, SYSTEM_ROLE: system_url}
    engine = create_engine(
        database_url, connect_args={"options": f"-c lock_timeout={LOCK_TIMEOUT_MS}"}
    )
    try:
        with _only_one_at_a_time(engine):
            _patiently(engine, _apply_all)
            _patiently(
                engine,
                partial(_complete, logins={role: url for role, url in logins.items() if url}),
            )
    except ProgrammingError as error:
        if not isinstance(error.orig, InsufficientPrivilege):
            raise
        raise DatabaseUnfit(
            f"The login lacks a right ({error.orig.diag.message_primary}). It must own the database"
            " and be allowed to create roles (CREATEROLE)."
        ) from error
    finally:
        engine.dispose()


def apply_revisions(connection: Connection, revision: str = "head") -> None:
    """Bring the schema up to ``revision``; ``connection`` must not be in a transaction."""
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    config.attributes["connection"] = connection
    command.upgrade(config, revision)


@contextmanager
def _only_one_at_a_time(engine: Engine) -> Iterator[None]:
    """Hold a lock against other migrating processes.

    The lock is polled, because a process that waits inside PostgreSQL holds a snapshot. Building an
    index concurrently waits for every older snapshot, so the two would wait for each other.
    """
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        attempt = text("SELECT pg_try_advisory_lock(:key)")
        while not connection.scalar(attempt, {"key": _MIGRATION_LOCK}):
            time.sleep(_LOCK_POLL_SECONDS)
        yield
        # The lock ends with the connection, so the pool must not keep it.
        connection.invalidate()


class Patience:
    """How long a revision has been blocked. It counts from the first time: what the revision did
    before that, such as copying a table for minutes, was no waiting."""

    def __init__(self) -> None:
        self._blocked: tuple[str | None, float] | None = None

    def is_over(self, revision: str | None, now: float) -> bool:
        """The revision after ``revision`` was blocked at ``now``, in seconds."""
        if self._blocked is None or self._blocked[0] != revision:
            self._blocked = revision, now
        return now - self._blocked[1] > LOCK_PATIENCE_SECONDS


def _patiently(engine: Engine, step: Callable[[Engine], None]) -> None:
    """Take the step, again and again while others lock what it needs."""
    patience = Patience()
    while True:
        try:
            step(engine)
        except OperationalError as error:
            in_the_way = isinstance(error.orig, LockNotAvailable | DeadlockDetected)
            if not in_the_way or patience.is_over(_current_revision(engine), time.monotonic()):
                raise
            _log.warning("migration_waits_for_lock", error=str(error.orig))
            time.sleep(_RETRY_SECONDS)
        else:
            return


def _apply_all(engine: Engine) -> None:
    with engine.connect() as connection:
        version = connection.dialect.server_version_info or OLDEST_SERVER
        if version < OLDEST_SERVER:
            raise DatabaseUnfit(
                f"PostgreSQL {'.'.join(map(str, version))} is too old; {OLDEST_SERVER[0]} or newer"
                " is needed."
            )
        try:
            apply_revisions(connection)
        except CommandError as error:
            if not isinstance(error.__cause__, ResolutionError):
                raise
            if not _builds_on_ours(connection):
                raise DatabaseUnfit(
                    "A newer release has migrated the database, and this one may not work with its"
                    " schema. Use the newer release, or the one before it."
                ) from error
            _log.warning("schema_of_next_release_kept")
            return
        connection.execute(text(f"COMMENT ON TABLE alembic_version IS '{PREVIOUS_RELEASE[1]}'"))
        connection.commit()


def _builds_on_ours(connection: Connection) -> bool:
    """Whether a release that this one does not know has left a schema for this one, too."""
    oldest = connection.scalar(text("SELECT obj_description('alembic_version'::regclass)"))
    try:
        return oldest is not None and ScriptDirectory(MIGRATIONS).get_revision(oldest) is not None
    except CommandError:
        return False


def _complete(engine: Engine, logins: Mapping[str, str]) -> None:
    """What each release brings besides its schema."""
    with engine.begin() as connection:
        write_job_names(connection)
        adopt_restored_log(connection)
        bring_up_to_date(connection)
        prepare_logins(connection, logins)


def _current_revision(engine: Engine) -> str | None:
    with engine.connect() as connection:
        return MigrationContext.configure(connection).get_current_revision()

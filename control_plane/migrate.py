"""Bring a database to the current schema. Safe to repeat, and to run from several processes."""

from __future__ import annotations

from pathlib import Path

from alembic import command
from alembic.config import Config
from procrastinate.schema import SchemaManager
from sqlalchemy import Connection, create_engine, text

from control_plane.catalogue.load import bring_up_to_date
from control_plane.database import APP_ROLE, SYSTEM_ROLE

MIGRATIONS = Path(__file__).parent / "migrations"
_MIGRATION_LOCK = 0x5377_6974_6368  # any number that nothing else locks


def migrate(database_url: str) -> None:
    """Apply every migration, the job queue's schema and the catalogue's data file if it is newer.

    The login must own the database and be allowed to create roles (or find ``switchboard_app``
    and ``switchboard_system`` there, and be a member of both).

    Raises:
        sqlalchemy.exc.OperationalError: PostgreSQL cannot be reached.
        control_plane.catalogue.load.CatalogueConflict: the data file changes a price row.
    """
    engine = create_engine(database_url)
    try:
        with engine.connect() as connection, connection.begin():
            connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _MIGRATION_LOCK})
            _apply_revisions(connection)
            _apply_job_queue_schema(connection)
            bring_up_to_date(connection)
    finally:
        engine.dispose()


def _apply_revisions(connection: Connection) -> None:
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    config.attributes["connection"] = connection
    command.upgrade(config, "head")


def _apply_job_queue_schema(connection: Connection) -> None:
    if connection.scalar(text("SELECT to_regclass('procrastinate_jobs')")) is not None:
        return
    # Straight to the driver, unprepared: the schema is many statements with % and : in them.
    driver = connection.connection.driver_connection
    assert driver is not None
    driver.execute(SchemaManager.get_schema(), prepare=False)
    driver.execute(
        # A request may enqueue; only the jobs process reads the queue, which holds every tenant's.
        f"""
        GRANT INSERT, SELECT (id) ON procrastinate_jobs TO {APP_ROLE};
        GRANT INSERT ON procrastinate_events TO {APP_ROLE};
        GRANT ALL ON procrastinate_jobs, procrastinate_events, procrastinate_workers,
            procrastinate_periodic_defers TO {SYSTEM_ROLE};
        GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA public TO {APP_ROLE}, {SYSTEM_ROLE};
        """,
        prepare=False,
    )

"""Migrating is repeatable, and what it grants is enough and no more."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from types import SimpleNamespace
from uuid import uuid4

import psycopg
import pytest
from sqlalchemy import make_url, text

from control_plane.calling.batches.tasks import make_calls_of_batch
from control_plane.migrate import (
    LOCK_PATIENCE_SECONDS,
    PREVIOUS_RELEASE,
    DatabaseUnfit,
    Patience,
    migrate,
)
from control_plane.platform.database import Database
from control_plane.platform.job_queue import enqueue


@pytest.fixture
def empty_database_url(postgres_url: str) -> Iterator[str]:
    name = f"empty_{uuid4().hex}"
    login = postgres_url.replace("postgresql+psycopg://", "postgresql://")
    with psycopg.connect(login, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
        yield f"{postgres_url.rpartition('/')[0]}/{name}"
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


async def test_processes_may_migrate_at_the_same_time(
    empty_database_url: str, database: Database
) -> None:
    """The outcome is what one process makes of a database: ``database`` is such a one."""
    await asyncio.gather(*(asyncio.to_thread(migrate, empty_database_url) for _ in range(4)))

    together = Database(empty_database_url)
    for query in (
        "SELECT version_num FROM alembic_version",
        "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace ORDER BY 1",
        "SELECT component, provider, model, micros_per_minute FROM price_rows ORDER BY 1, 2, 3, 4",
    ):
        assert await _rows(together, query) == await _rows(database, query) != []
    await together.aclose()


@pytest.mark.parametrize("table", ["job_names", "catalogue_loads"])
def test_what_follows_the_revisions_waits_for_locks_as_they_do(
    postgres_url: str, monkeypatch: pytest.MonkeyPatch, table: str
) -> None:
    login = postgres_url.replace("postgresql+psycopg://", "postgresql://")
    with psycopg.connect(login) as other:
        other.execute(f"LOCK TABLE {table} IN ACCESS EXCLUSIVE MODE")
        waited = []

        def wait(seconds: float) -> None:
            waited.append(seconds)
            other.rollback()

        clock = SimpleNamespace(sleep=wait, monotonic=time.monotonic)
        monkeypatch.setattr("control_plane.migrate.time", clock)
        migrate(postgres_url)
    assert len(waited) == 1


def test_the_schema_of_a_newer_release_is_named(postgres_url: str) -> None:
    login = postgres_url.replace("postgresql+psycopg://", "postgresql://")
    with psycopg.connect(login, autocommit=True) as connection:
        connection.execute("UPDATE alembic_version SET version_num = 'of a newer release'")
        connection.execute("COMMENT ON TABLE alembic_version IS 'of the release before that'")
    with pytest.raises(DatabaseUnfit, match=r"^A newer release has migrated the database"):
        migrate(postgres_url)


def test_the_schema_of_the_next_release_is_left_as_it_is(postgres_url: str) -> None:
    """So that one can go back by one release, also where each start migrates."""
    login = postgres_url.replace("postgresql+psycopg://", "postgresql://")
    left = "SELECT version_num, obj_description('alembic_version'::regclass) FROM alembic_version"
    with psycopg.connect(login, autocommit=True) as connection:
        [(ours, _)] = connection.execute(left).fetchall()
        connection.execute("UPDATE alembic_version SET version_num = 'of the next release'")
        connection.execute(f"COMMENT ON TABLE alembic_version IS '{ours}'")
        migrate(postgres_url)
        assert connection.execute(left).fetchall() == [("of the next release", ours)]


def test_a_schema_says_on_which_release_it_builds(postgres_url: str) -> None:
    login = postgres_url.replace("postgresql+psycopg://", "postgresql://")
    with psycopg.connect(login) as connection:
        [(found,)] = connection.execute(
            "SELECT obj_description('alembic_version'::regclass)"
        ).fetchall()
    assert found == PREVIOUS_RELEASE[1]


def test_a_login_that_may_not_make_tables_hears_which_rights_it_needs(
    empty_database_url: str,
) -> None:
    name = f"poor_{uuid4().hex}"
    owner = empty_database_url.replace("postgresql+psycopg://", "postgresql://")
    with psycopg.connect(owner, autocommit=True) as connection:
        connection.execute(f"CREATE ROLE {name} LOGIN PASSWORD 'poor'")
        poor = make_url(empty_database_url).set(username=name, password="poor")
        try:
            with pytest.raises(DatabaseUnfit, match=r"permission denied .* must own the database"):
                migrate(poor.render_as_string(hide_password=False))
        finally:
            connection.execute(f"DROP ROLE {name}")


def test_a_server_that_is_too_old_is_named(
    postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("control_plane.migrate.OLDEST_SERVER", (99,))
    with pytest.raises(DatabaseUnfit, match=r"^PostgreSQL \d.* is too old; 99 or newer is needed"):
        migrate(postgres_url)


async def _rows(database: Database, query: str) -> list[tuple[object, ...]]:
    async with database.system_session() as session:
        await session.execute(text("RESET ROLE"))
        return [tuple(row) for row in await session.execute(text(query))]


async def test_a_request_can_enqueue_in_its_own_transaction(database: Database) -> None:
    tenant_id = uuid4()

    async def make_calls(batch_id: str) -> None:
        async with database.tenant_session(tenant_id) as session:
            await enqueue(session, make_calls_of_batch, tenant_id=str(tenant_id), batch_id=batch_id)
            if batch_id == "rolled back":
                raise LookupError

    await make_calls("kept")
    with pytest.raises(LookupError):
        await make_calls("rolled back")

    async with database.system_session() as session:
        jobs = await session.scalars(text("SELECT args ->> 'batch_id' FROM procrastinate_jobs"))
        assert list(jobs) == ["kept"]


def test_only_the_time_since_a_revision_was_first_blocked_counts() -> None:
    patience = Patience()
    after_long_work = 10 * LOCK_PATIENCE_SECONDS
    assert not patience.is_over("0028", after_long_work)
    assert not patience.is_over("0028", after_long_work + LOCK_PATIENCE_SECONDS)
    assert patience.is_over("0028", after_long_work + LOCK_PATIENCE_SECONDS + 1)
    assert not patience.is_over("0029", after_long_work + LOCK_PATIENCE_SECONDS + 1), (
        "the next revision has its own time"
    )

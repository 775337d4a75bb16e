"""The migration from one user per tenant to one person per mail address loses nobody."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

import psycopg
import pytest
from alembic import command
from alembic.config import Config
from sqlalchemy import Connection, create_engine, text

from control_plane.database import SYSTEM_ROLE
from control_plane.migrate import _MIGRATIONS

MONDAY = datetime(2026, 1, 5, tzinfo=UTC)


@pytest.fixture
def connection(postgres_url: str) -> Iterator[Connection]:
    """An empty database, as its owner, who is confined by row-level security too."""
    name = f"people_{uuid4().hex}"
    login = postgres_url.replace("postgresql+psycopg://", "postgresql://")
    with psycopg.connect(login, autocommit=True) as server:
        server.execute(f"CREATE DATABASE {name}")
        engine = create_engine(f"{postgres_url.rpartition('/')[0]}/{name}")
        with engine.connect() as connection, connection.begin():
            yield connection
        engine.dispose()
        server.execute(f"DROP DATABASE {name} WITH (FORCE)")


def _upgrade(connection: Connection, revision: str) -> None:
    config = Config()
    config.set_main_option("script_location", str(_MIGRATIONS))
    config.attributes["connection"] = connection
    command.upgrade(config, revision)


def _add_user(connection: Connection, tenant_id: UUID, email: str, role: str, day: int) -> UUID:
    user_id = uuid4()
    connection.execute(
        text(
            "INSERT INTO users (id, tenant_id, email, role, created_at) "
            "VALUES (:id, :tenant_id, :email, :role, :created_at)"
        ),
        {
            "id": user_id,
            "tenant_id": tenant_id,
            "email": email,
            "role": role,
            "created_at": MONDAY + timedelta(days=day),
        },
    )
    return user_id


def test_everybody_keeps_their_tenants_and_roles(connection: Connection) -> None:
    _upgrade(connection, "0003")
    connection.execute(text(f"SET LOCAL ROLE {SYSTEM_ROLE}"))
    first, second, third = uuid4(), uuid4(), uuid4()
    for tenant_id in (first, second, third):
        connection.execute(
            text("INSERT INTO tenants (id, name) VALUES (:id, 'x')"), {"id": tenant_id}
        )
    _add_user(connection, first, "Mia@example.com", "owner", day=2)
    mia = _add_user(connection, second, "mia@example.com", "member", day=1)
    # The same person twice in one tenant, by another spelling: the higher role stays.
    _add_user(connection, second, "MIA@example.com", "admin", day=3)
    noah = _add_user(connection, third, "noah@example.com", "owner", day=0)
    connection.execute(text("RESET ROLE"))

    _upgrade(connection, "0004")

    connection.execute(text(f"SET LOCAL ROLE {SYSTEM_ROLE}"))
    people = connection.execute(text("SELECT id, email, password_hash FROM users"))
    members = connection.execute(
        text("SELECT tenant_id, user_id, role, joined_at FROM memberships")
    )
    assert {tuple(row) for row in people} == {
        (mia, "mia@example.com", None),
        (noah, "noah@example.com", None),
    }
    assert {tuple(row) for row in members} == {
        (first, mia, "owner", MONDAY + timedelta(days=2)),
        (second, mia, "admin", MONDAY + timedelta(days=1)),
        (third, noah, "owner", MONDAY),
    }

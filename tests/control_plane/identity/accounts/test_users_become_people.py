"""The migration from one user per tenant to one person per mail address loses nobody."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

import pytest
from sqlalchemy import Connection, text

from control_plane.platform.database import SYSTEM_ROLE
from tests.control_plane.migrations import empty_database, upgrade

MONDAY = datetime(2026, 1, 5, tzinfo=UTC)


@pytest.fixture
def connection(postgres_url: str) -> Iterator[Connection]:
    with empty_database(postgres_url) as connection:
        yield connection


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
    upgrade(connection, "0003")
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

    upgrade(connection, "0004")

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

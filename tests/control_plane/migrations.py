"""A database between two revisions, for tests of what a migration does with rows."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from uuid import uuid4

import psycopg
from sqlalchemy import Connection, create_engine

from control_plane.migrate import apply_revisions


@contextmanager
def empty_database(postgres_url: str) -> Iterator[Connection]:
    """One on the same server, as its owner, whom row-level security confines too."""
    name = f"migrating_{uuid4().hex}"
    login = postgres_url.replace("postgresql+psycopg://", "postgresql://")
    with psycopg.connect(login, autocommit=True) as server:
        server.execute(f"CREATE DATABASE {name}")
        engine = create_engine(f"{postgres_url.rpartition('/')[0]}/{name}")
        with engine.connect() as connection:
            yield connection
        engine.dispose()
        server.execute(f"DROP DATABASE {name} WITH (FORCE)")


def upgrade(connection: Connection, revision: str) -> None:
    """Commits what was done before: each revision is a transaction of its own."""
    connection.commit()
    apply_revisions(connection, revision)

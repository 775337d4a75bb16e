"""Whether a database is known to be at the current schema, in a few milliseconds.

Importing the migrations' machinery costs most of a second. So after a migration the embedded
database carries, as its comment, a fingerprint of everything that the migration was made from.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import importlib.util
from pathlib import Path

import psycopg
from psycopg import sql

_SOURCES = ("migrate.py", "database.py", "migrations", "catalogue")
_CAPABILITIES = ("providers",)
"""What the migration writes into the catalogue of the media workers' abilities."""
_SUFFIXES = (".py", ".json", ".sql")


def fingerprint() -> str:
    """Of the control plane's migrations, its catalogue, the workers' providers and the job queue's
    version."""
    digest = hashlib.sha256(importlib.metadata.version("procrastinate").encode())
    for name, sources in (("control_plane", _SOURCES), ("pipelines", _CAPABILITIES)):
        spec = importlib.util.find_spec(name)
        for package in (spec.submodule_search_locations or ()) if spec else ():
            for path in (path for source in sources for path in _files(Path(package, source))):
                digest.update(path.relative_to(package).as_posix().encode())
                digest.update(path.read_bytes())
    return f"switchboard schema {digest.hexdigest()}"


def is_migrated(database_url: str) -> bool:
    """Whether the database carries the current fingerprint. Raises ``psycopg.Error``."""
    with _connect(database_url) as connection:
        row = connection.execute(
            "SELECT shobj_description(oid, 'pg_database') FROM pg_database"
            " WHERE datname = current_database()"
        ).fetchone()
    return row is not None and row[0] == fingerprint()


def stamp(database_url: str) -> None:
    """Write the current fingerprint. The login must own the database. Raises ``psycopg.Error``."""
    with _connect(database_url) as connection:
        connection.execute(
            sql.SQL("COMMENT ON DATABASE {} IS {}").format(
                sql.Identifier(connection.info.dbname), sql.Literal(fingerprint())
            )
        )


def _connect(database_url: str) -> psycopg.Connection:
    url = database_url.replace("postgresql+psycopg://", "postgresql://", 1)
    return psycopg.connect(url, autocommit=True, connect_timeout=5)


def _files(source: Path) -> list[Path]:
    if source.is_file():
        return [source]
    return sorted(path for path in source.rglob("*") if path.suffix in _SUFFIXES)

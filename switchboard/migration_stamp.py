"""Tells within milliseconds whether a database has the current schema.

Importing the migration library takes most of a second. Therefore a migration writes a fingerprint
of everything it was made from into the comment of the embedded database.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import importlib.util
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import psycopg

_SOURCES = ("migrate.py", "platform/database.py", "migrations", "building/catalogue")
_CAPABILITIES = ("engine/providers",)
"""The migration writes the media workers' abilities, which are these, into the catalogue."""
_SUFFIXES = (".py", ".json", ".sql")


def fingerprint() -> str:
    """A digest of the control plane's migrations, its catalogue, the workers' providers and the
    version of the job queue."""
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
    from psycopg import sql

    with _connect(database_url) as connection:
        connection.execute(
            sql.SQL("COMMENT ON DATABASE {} IS {}").format(
                sql.Identifier(connection.info.dbname), sql.Literal(fingerprint())
            )
        )


def _connect(database_url: str) -> psycopg.Connection:
    # The import takes 70 ms, in which other processes can start already.
    import psycopg

    url = database_url.replace("postgresql+psycopg://", "postgresql://", 1)
    return psycopg.connect(url, autocommit=True, connect_timeout=5)


def _files(source: Path) -> list[Path]:
    """Raises ``FileNotFoundError`` when there is no such source: it must not be left out."""
    if not source.exists():
        raise FileNotFoundError(f"the schema's fingerprint covers {source}, which is missing")
    if source.is_file():
        return [source]
    return sorted(path for path in source.rglob("*") if path.suffix in _SUFFIXES)

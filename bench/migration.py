"""Migrates a database of the previous head while that code works on it.

python -m bench.migration [--calls 1000000]
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
from pathlib import Path
from uuid import uuid4

import psycopg
from rich.console import Console
from sqlalchemy import create_engine

from control_plane.migrate import apply_revisions
from control_plane.platform.database import SYSTEM_ROLE
from switchboard.services.embedded_server import running
from switchboard.services.postgres import PostgresServer
from tests.control_plane.many_calls import add_calls, add_details
from tests.control_plane.migrating_under_load import LONGEST_WAIT_SECONDS, migrate_under_load

PREVIOUS_HEAD = "0019"
PLAN_BYTES = 2000


def run(calls: int, console: Console) -> None:
    with tempfile.TemporaryDirectory(prefix="switchboard-migration-") as name:
        directory = Path(name)
        directory.chmod(0o711)  # PostgreSQL's unprivileged user must be able to enter
        server = PostgresServer(directory / "postgres")
        with running(server, directory / "postgres.log"):
            plain = server.url.replace("postgresql+psycopg://", "postgresql://")
            with psycopg.connect(plain, autocommit=True) as connection:
                connection.execute("CREATE DATABASE migrating")
            database_url = server.database_url("migrating")
            engine = create_engine(database_url)
            with engine.connect() as previous:
                apply_revisions(previous, PREVIOUS_HEAD)
            engine.dispose()
            tenant_id = uuid4()
            login = database_url.replace("postgresql+psycopg://", "postgresql://")
            with psycopg.connect(login, autocommit=True) as connection:
                connection.execute(f"SET ROLE {SYSTEM_ROLE}")
                connection.execute(
                    "INSERT INTO tenants (id, name) VALUES (%s, 'Tenant')", (tenant_id,)
                )
                agent_ids = [uuid4() for _ in range(8)]
                add_calls(connection, tenant_id, agent_ids, calls, plan_bytes=PLAN_BYTES)
                add_details(connection, tenant_id)
            console.print(f"{calls:,} calls made with the schema {PREVIOUS_HEAD}")
            load, took_seconds = migrate_under_load(database_url, tenant_id)
    durations = load.durations_seconds
    console.print(
        f"Migrated in {took_seconds:.1f} s while clients made {load.calls:,} calls in"
        f" {len(durations):,} statements: none waited {LONGEST_WAIT_SECONDS:.0f} s for a lock;"
        f" median {statistics.median(durations) * 1000:.1f} ms,"
        f" longest {max(durations) * 1000:.0f} ms"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--calls", type=int, default=1_000_000)
    run(parser.parse_args().calls, Console())


if __name__ == "__main__":
    main()

"""A database in use is migrated without anyone waiting for a lock.

``python -m bench.migration`` does the same with a million calls.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from uuid import uuid4

import psycopg
from sqlalchemy import Connection, event, text

from control_plane.migrate import apply_revisions
from tests.control_plane.many_calls import add_calls, add_details
from tests.control_plane.migrating_under_load import migrate_under_load
from tests.control_plane.migrations import empty_database, upgrade

PREVIOUS_RELEASE = "0009"
CALLS = 5_000
BIG_TABLES = (
    "audit_entries",
    "call_log_entries",
    "call_participants",
    "call_reserves",
    "calls",
    "ledger_entries",
    "outbox_events",
    "transcript_segments",
    "turn_latencies",
)
_PLAIN_INDEX = re.compile(
    r"CREATE (?:UNIQUE )?INDEX (?!CONCURRENTLY).* ON (?:public\.)?(\w+)", re.S
)
_BIG = "SELECT oid FROM pg_class WHERE relname = ANY (:tables) ORDER BY relname"
"""By their oids, because a revision may make a table a partition of a new one of its name."""
_TOUCHED = """
    SELECT oid,
        pg_stat_get_xact_tuples_returned(oid) + pg_stat_get_xact_tuples_fetched(oid)
        + pg_stat_get_xact_tuples_updated(oid) AS rows
    FROM pg_class WHERE oid = ANY (:oids)
"""
_STOPS_WRITERS = """
    SELECT c.oid, c.relname, l.mode FROM pg_locks l JOIN pg_class c ON c.oid = l.relation
    WHERE l.pid = pg_backend_pid() AND c.oid = ANY (:oids) AND l.mode IN
        ('ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock')
"""
_RELEASE_0_1 = "0019"
_TABLES = "SELECT oid FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace"
_STOPS_EVERYBODY = """
    SELECT c.relname FROM pg_locks l JOIN pg_class c ON c.oid = l.relation
    WHERE l.pid = pg_backend_pid() AND c.oid = ANY (:oids) AND l.mode = 'AccessExclusiveLock'
"""
_FILES = "SELECT oid, relfilenode FROM pg_class WHERE oid = ANY (:oids) ORDER BY oid"


@contextmanager
def previous_release(postgres_url: str, calls: int) -> Iterator[tuple[Connection, Any]]:
    """A database of the previous release, and its tenant with calls."""
    with empty_database(postgres_url) as connection:
        upgrade(connection, PREVIOUS_RELEASE)
        tenant_id = uuid4()
        login = connection.engine.url.set(drivername="postgresql")
        with psycopg.connect(login.render_as_string(hide_password=False), autocommit=True) as owner:
            owner.execute("SET ROLE switchboard_system")
            owner.execute("INSERT INTO tenants (id, name) VALUES (%s, 'Tenant')", (tenant_id,))
            add_calls(owner, tenant_id, [uuid4(), uuid4()], calls)
            add_details(owner, tenant_id)
        yield connection, tenant_id


def test_nobody_waits_a_second_for_a_migration_and_no_call_or_entry_is_left_out(
    postgres_url: str,
) -> None:
    with previous_release(postgres_url, CALLS) as (connection, tenant_id):
        connection.commit()
        load, _ = migrate_under_load(
            connection.engine.url.render_as_string(hide_password=False), tenant_id
        )

        connection.execute(text("SET ROLE switchboard_system"))
        kept, there = connection.execute(
            text(
                "SELECT (SELECT coalesce(sum(calls), 0) FROM call_counts)"
                " + (SELECT coalesce(sum(calls), 0) FROM call_count_deltas),"
                " (SELECT count(*) FROM calls)"
            )
        ).one()
        without_reference = connection.scalar(
            text(
                "SELECT count(*) FROM ledger_entries WHERE id NOT IN"
                " (SELECT entry_id FROM ledger_references)"
            )
        )
    assert load.calls > 0
    assert without_reference == 0
    assert kept == there == CALLS + load.calls


def test_no_revision_reads_or_rewrites_a_big_table_under_a_lock_that_stops_its_writers(
    postgres_url: str,
) -> None:
    tables: dict[str, list[int]] = {}
    faults: list[str] = []
    touched_before: dict[int, int] = {}

    def touched(connection: Connection) -> dict[int, int]:
        """Rows read and updated; the server counts on over several transactions."""
        return {row.oid: row.rows for row in connection.execute(text(_TOUCHED), tables)}

    def note_what_was_touched(connection: Connection) -> None:
        touched_before.update(touched(connection))

    def look_at_locks(connection: Connection) -> None:
        now = touched(connection)
        for oid, table, mode in connection.execute(text(_STOPS_WRITERS), tables):
            if now[oid] != touched_before[oid]:
                faults.append(f"{mode} on {table}, {now[oid] - touched_before[oid]} rows")

    def look_at_indexes(_connection: Connection, _cursor: Any, statement: str, *_rest: Any) -> None:
        if (plain := _PLAIN_INDEX.match(statement.strip())) and plain[1] in BIG_TABLES:
            faults.append(statement)

    with previous_release(postgres_url, 100) as (connection, _):
        big = connection.scalars(text(_BIG), {"tables": list(BIG_TABLES)})
        tables["oids"] = list(big)
        # The outbox that nothing had read goes; revision 0038.
        dropped = connection.scalar(text("SELECT CAST('outbox_events'::regclass AS oid)"))
        files = [row for row in connection.execute(text(_FILES), tables) if row.oid != dropped]
        connection.commit()
        event.listen(connection, "begin", note_what_was_touched)
        event.listen(connection, "commit", look_at_locks)
        event.listen(connection, "before_cursor_execute", look_at_indexes)

        apply_revisions(connection)

        assert connection.execute(text(_FILES), tables).all() == files
    assert faults == []


def test_no_revision_holds_a_table_that_is_in_use_while_it_waits_for_another(
    postgres_url: str,
) -> None:
    """A transaction that needs both would wait for the revision, and the revision for it."""
    faults: list[set[str]] = []

    def look_at_locks(connection: Connection) -> None:
        held = set(connection.scalars(text(_STOPS_EVERYBODY), tables))
        if len(held) > 1:
            faults.append(held)

    with empty_database(postgres_url) as connection:
        upgrade(connection, _RELEASE_0_1)
        tables = {"oids": list(connection.scalars(text(_TABLES)))}
        connection.commit()
        event.listen(connection, "commit", look_at_locks)
        apply_revisions(connection)
    assert faults == []

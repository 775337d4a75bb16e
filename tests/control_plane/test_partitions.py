"""Transcripts, event logs and the ledger are partitioned by month."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any
from uuid import UUID, uuid4

import psycopg
import pytest
from sqlalchemy import Connection, text
from sqlalchemy.exc import DBAPIError
from structlog.testing import capture_logs

from control_plane.migrations.partitions import first_month_of
from control_plane.migrations.versions.revision_0028_partitions import TABLES
from control_plane.migrations.versions.revision_0029_ledger_partitions import LEDGER
from control_plane.platform.database import Database
from control_plane.platform.errors import DatabaseUnavailable
from control_plane.platform.job_queue import job_resources
from control_plane.platform.partitions import repository
from control_plane.platform.partitions.tasks import make_partitions
from control_plane.platform.time_ordered_id import time_ordered_id
from tests.control_plane.migrations import empty_database, upgrade

NOW = datetime.now(UTC)
THIS_MONTH = f"{NOW:%Y_%m}"
OF_CALLS = ("transcript_segments", "turn_latencies", "call_log_entries")
_ROWS = {
    "transcript_segments": (
        "INSERT INTO transcript_segments (call_id, sequence, id, tenant_id, speaker, text,"
        " started_at_ms, ended_at_ms, interrupted)"
        " VALUES (:call, 0, gen_random_uuid(), :tenant, 'user', 'Hello', 0, 1, false)"
    ),
    "turn_latencies": (
        "INSERT INTO turn_latencies (call_id, sequence, tenant_id) VALUES (:call, 0, :tenant)"
    ),
    "call_log_entries": (
        "INSERT INTO call_log_entries (id, tenant_id, call_id, level, source, message, created_at)"
        " VALUES (gen_random_uuid(), :tenant, :call, 'info', 'lifecycle', 'Call created', now())"
    ),
}


def add(connection: Connection, table: str, tenant_id: UUID, call_id: UUID) -> str:
    """Add a row of the call; returns the partition that it went to."""
    values = {"call": call_id, "tenant": tenant_id}
    statement = text(f"{_ROWS[table]} ON CONFLICT DO NOTHING RETURNING tableoid::regclass::text")
    return str(connection.scalar(statement, values))


def make_call(connection: Connection, tenant_id: UUID, call_id: UUID) -> UUID:
    connection.execute(
        text(
            "INSERT INTO calls (id, tenant_id, agent_id, room_name, status, plan)"
            " VALUES (:id, :tenant, :tenant, 'room', 'queued', '{}')"
        ),
        {"id": call_id, "tenant": tenant_id},
    )
    return call_id


@pytest.fixture
def partitioned(postgres_url: str) -> Iterator[tuple[Connection, UUID, UUID]]:
    """A database that was partitioned when a call of release 0.1 had rows already; the tenant and
    that call."""
    with empty_database(postgres_url) as connection:
        upgrade(connection, "0027")
        connection.execute(text("SET ROLE switchboard_system"))
        tenant_id = uuid4()
        connection.execute(
            text("INSERT INTO tenants (id, name) VALUES (:id, 'Tenant')"), {"id": tenant_id}
        )
        old_call = make_call(connection, tenant_id, uuid4())
        for table in OF_CALLS:
            add(connection, table, tenant_id, old_call)
        connection.execute(
            text(
                "INSERT INTO outbox_events (id, tenant_id, event, data)"
                " VALUES (gen_random_uuid(), :tenant, 'call.started', '{}')"
            ),
            {"tenant": tenant_id},
        )
        connection.execute(text("RESET ROLE"))
        upgrade(connection, "head")
        connection.execute(text("SET ROLE switchboard_system"))
        yield connection, tenant_id, old_call
        connection.rollback()


@pytest.mark.parametrize("table", OF_CALLS)
def test_rows_go_where_their_call_belongs(
    partitioned: tuple[Connection, UUID, UUID], table: str
) -> None:
    connection, tenant_id, old_call = partitioned
    new_call = make_call(connection, tenant_id, time_ordered_id(NOW))
    far_call = make_call(connection, tenant_id, time_ordered_id(NOW + timedelta(days=4000)))
    of_release_0_1 = make_call(connection, tenant_id, uuid4())
    places = [add(connection, table, tenant_id, each) for each in (new_call, far_call)]
    assert places == [f"{table}_{THIS_MONTH}", f"{table}_other"]
    assert add(connection, table, tenant_id, of_release_0_1) == f"{table}_before"
    there = connection.scalars(
        text(f"SELECT call_id FROM {table} WHERE tenant_id = :tenant"), {"tenant": tenant_id}
    )
    assert set(there) == {old_call, new_call, far_call, of_release_0_1}


def test_calls_whose_ids_had_a_time_before_the_partitions_stay_in_the_old_table(
    postgres_url: str,
) -> None:
    with empty_database(postgres_url) as connection:
        upgrade(connection, "0027")
        connection.execute(text("SET ROLE switchboard_system"))
        tenant_id, moment = uuid4(), datetime.now(UTC)
        connection.execute(
            text("INSERT INTO tenants (id, name) VALUES (:id, 'Tenant')"), {"id": tenant_id}
        )
        running = make_call(connection, tenant_id, time_ordered_id(moment))
        assert add(connection, "turn_latencies", tenant_id, running) == "turn_latencies"
        connection.execute(text("RESET ROLE"))
        upgrade(connection, "head")
        connection.execute(text("SET ROLE switchboard_system"))
        later = moment + timedelta(hours=2)
        for made_at, place in ((moment, "before"), (later, f"{later:%Y_%m}")):
            call_id = make_call(connection, tenant_id, time_ordered_id(made_at))
            assert add(connection, "turn_latencies", tenant_id, call_id) == (
                f"turn_latencies_{place}"
            )
        assert add(connection, "turn_latencies", tenant_id, running) == "None"
        assert add(connection, "call_log_entries", tenant_id, running) == (
            f"call_log_entries_{moment:%Y_%m}"
        ), "its event log had no rows of such calls"
        connection.rollback()


@pytest.mark.parametrize("table", ["transcript_segments", "turn_latencies"])
def test_a_row_whose_key_is_taken_is_still_ignored(
    partitioned: tuple[Connection, UUID, UUID], table: str
) -> None:
    connection, tenant_id, old_call = partitioned
    new_call = make_call(connection, tenant_id, time_ordered_id(NOW))
    add(connection, table, tenant_id, new_call)
    assert add(connection, table, tenant_id, new_call) == "None"
    assert add(connection, table, tenant_id, old_call) == "None"
    with pytest.raises(DBAPIError, match="duplicate key"):
        connection.execute(text(_ROWS[table]), {"call": new_call, "tenant": tenant_id})


def test_the_event_logs_numbers_go_on(partitioned: tuple[Connection, UUID, UUID]) -> None:
    connection, tenant_id, old_call = partitioned
    for call_id in (old_call, make_call(connection, tenant_id, time_ordered_id(NOW)), old_call):
        add(connection, "call_log_entries", tenant_id, call_id)
    found = connection.scalars(text("SELECT position FROM call_log_entries ORDER BY position"))
    assert list(found) == [1, 2, 3, 4]


def test_the_rows_of_a_call_are_sought_in_two_partitions_at_most(
    partitioned: tuple[Connection, UUID, UUID],
) -> None:
    connection, _, _ = partitioned
    call_id = time_ordered_id(NOW)
    for table in OF_CALLS:
        plan = connection.scalars(
            text(f"EXPLAIN SELECT * FROM {table} WHERE call_id = '{call_id}'")
        )
        scanned = "\n".join(plan)
        found = set(re.findall(rf" on ({table}_(?:before|other|[0-9]+_[0-9]+))\b", scanned))
        assert found == {f"{table}_before", f"{table}_{THIS_MONTH}"}
        assert "Seq Scan" not in scanned


@pytest.mark.parametrize(
    ("now", "first"),
    [
        (datetime(2026, 11, 1, tzinfo=UTC), datetime(2026, 12, 1, tzinfo=UTC)),
        (datetime(2026, 11, 24, tzinfo=UTC), datetime(2026, 12, 1, tzinfo=UTC)),
        (datetime(2026, 11, 30, tzinfo=UTC), datetime(2027, 1, 1, tzinfo=UTC)),
        (datetime(2026, 2, 25, tzinfo=UTC), datetime(2026, 4, 1, tzinfo=UTC)),
        (datetime(2026, 12, 3, tzinfo=UTC), datetime(2027, 1, 1, tzinfo=UTC)),
    ],
)
def test_partitions_by_time_begin_with_a_month_that_is_some_days_away(
    now: datetime, first: datetime
) -> None:
    assert first_month_of(TABLES[-1], now) == first


def test_a_month_with_rows_in_the_default_partition_is_left_out_and_loses_none(
    partitioned: tuple[Connection, UUID, UUID],
) -> None:
    connection, tenant_id, _ = partitioned
    months_away = NOW + timedelta(days=31 * 8)
    far_call = make_call(connection, tenant_id, time_ordered_id(months_away))
    add(connection, "transcript_segments", tenant_id, far_call)
    made = set(connection.scalars(text("SELECT switchboard_make_partitions(12)")))
    assert f"turn_latencies_{months_away:%Y_%m}" in made
    assert f"transcript_segments_{months_away:%Y_%m}" not in made
    add_again = add(connection, "transcript_segments", tenant_id, far_call)
    assert add_again == "None", "the row is still there"


def test_migrating_again_changes_nothing(partitioned: tuple[Connection, UUID, UUID]) -> None:
    connection, _, _ = partitioned
    names: Any = text("SELECT array_agg(relname ORDER BY relname) FROM pg_class")
    before = connection.scalar(names)
    connection.rollback()
    connection.execute(text("RESET ROLE"))
    upgrade(connection, "head")
    assert connection.scalar(names) == before


async def test_the_job_makes_what_is_missing(database: Database) -> None:
    async with database.system_session() as session:
        assert await repository.missing_partitions(session) == []
        made = await repository.make_partitions(session, 5)
        assert await repository.make_partitions(session, 5) == []
        await session.rollback()
    assert len(made) == 8


async def test_what_could_not_be_made_is_told(database: Database, postgres_url: str) -> None:
    login = postgres_url.replace("postgresql+psycopg://", "postgresql://")
    missing = f"transcript_segments_{THIS_MONTH}"
    context: Any = SimpleNamespace(additional_context=job_resources(database))
    with psycopg.connect(login) as owner:
        owner.execute(f"DROP TABLE {missing}")
        owner.commit()
        owner.execute("LOCK TABLE transcript_segments_other IN ROW EXCLUSIVE MODE")
        with capture_logs() as logs, pytest.raises(DatabaseUnavailable):
            await make_partitions(context, timestamp=0)
    assert [log["partitions"] for log in logs if log["event"] == "partitions_missing"] == [
        [missing]
    ]


async def test_a_missing_month_of_the_ledger_is_told_unless_the_old_table_holds_it(
    database: Database, postgres_url: str
) -> None:
    login = postgres_url.replace("postgresql+psycopg://", "postgresql://")
    this_month = NOW.replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    next_month = (this_month + timedelta(days=32)).replace(day=1)
    first = first_month_of(LEDGER, NOW)
    assert first is not None
    with psycopg.connect(login) as owner:
        owner.execute("ALTER TABLE ledger_entries DETACH PARTITION ledger_entries_before")
        owner.execute(
            "ALTER TABLE ledger_entries ATTACH PARTITION ledger_entries_before"
            f" FOR VALUES FROM (MINVALUE) TO ('{this_month}')"
        )
    async with database.system_session() as session:
        assert await repository.missing_partitions(session) == [
            f"ledger_entries_{month:%Y_%m}" for month in (this_month, next_month) if month < first
        ]
        await repository.make_partitions(session, 1)
        assert await repository.missing_partitions(session) == []


async def test_a_request_cannot_make_partitions_or_read_one(
    database: Database, postgres_url: str
) -> None:
    for statement in (
        "SELECT switchboard_make_partitions(3)",
        f"SELECT * FROM transcript_segments_{THIS_MONTH}",
        f"DELETE FROM call_log_entries_{THIS_MONTH}",
    ):
        with pytest.raises(DBAPIError, match="permission denied"):
            async with database.tenant_session(uuid4()) as session:
                await session.execute(text(statement))

"""The ledger is partitioned by month, and a reference stays unique across its partitions."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

import pytest
from sqlalchemy import Connection, text
from sqlalchemy.exc import DBAPIError, IntegrityError

from control_plane.migrations.partitions import first_month_of
from control_plane.migrations.versions.revision_0029_ledger_partitions import LEDGER
from control_plane.money.billing import repository, service
from control_plane.platform.database import Database
from tests.control_plane.migrations import empty_database, upgrade

NOW = datetime.now(UTC)
FIRST_MONTH = first_month_of(LEDGER, NOW) or NOW
FAR_AWAY = FIRST_MONTH + timedelta(days=4000)
_POST = text(
    "INSERT INTO ledger_entries (id, tenant_id, reference, transaction_type, free_micros,"
    " purchased_micros, amount_seconds, description, created_at)"
    " VALUES (gen_random_uuid(), :tenant, :reference, 'grant', 100, 0, 0, 'Credit', :at)"
    " RETURNING tableoid::regclass::text"
)


def post(connection: Connection, tenant_id: UUID, reference: str, at: datetime = NOW) -> str:
    """Post 100 micro-dollars; returns the partition."""
    values = {"tenant": tenant_id, "reference": reference, "at": at}
    return str(connection.scalar(_POST, values))


@pytest.fixture
def partitioned(postgres_url: str) -> Iterator[tuple[Connection, UUID]]:
    """A database whose tenant had the entry ``old`` before it was partitioned."""
    with empty_database(postgres_url) as connection:
        upgrade(connection, "0028")
        connection.execute(text("SET ROLE switchboard_system"))
        tenant_id = uuid4()
        tenant = {"id": tenant_id}
        connection.execute(text("INSERT INTO tenants (id, name) VALUES (:id, 'Tenant')"), tenant)
        connection.execute(text("INSERT INTO billing_accounts (tenant_id) VALUES (:id)"), tenant)
        assert post(connection, tenant_id, "old") == "ledger_entries"
        connection.execute(text("RESET ROLE"))
        upgrade(connection, "head")
        connection.execute(text("SET ROLE switchboard_system"))
        yield connection, tenant_id
        connection.rollback()


def test_an_entry_goes_into_the_partition_of_its_month(
    partitioned: tuple[Connection, UUID],
) -> None:
    connection, tenant_id = partitioned
    times = (NOW, FIRST_MONTH, FAR_AWAY)
    places = [post(connection, tenant_id, f"new:{at}", at) for at in times]
    month = f"ledger_entries_{FIRST_MONTH:%Y_%m}"
    assert places == ["ledger_entries_before", month, "ledger_entries_other"]
    found = connection.scalars(text("SELECT position FROM ledger_entries ORDER BY position"))
    assert list(found) == [1, 2, 3, 4], "one sequence numbers the entries of all partitions"


@pytest.mark.parametrize("at", [NOW, FIRST_MONTH, FAR_AWAY])
def test_a_reference_is_refused_a_second_time_in_any_month(
    partitioned: tuple[Connection, UUID], at: datetime
) -> None:
    connection, tenant_id = partitioned
    post(connection, tenant_id, "new", FIRST_MONTH)
    for reference in ("old", "new"):
        with pytest.raises(IntegrityError, match="duplicate key"), connection.begin_nested():
            post(connection, tenant_id, reference, at)


def test_entries_of_all_partitions_move_the_totals(partitioned: tuple[Connection, UUID]) -> None:
    connection, tenant_id = partitioned
    for at in (NOW, FIRST_MONTH, FAR_AWAY):
        post(connection, tenant_id, f"new:{at}", at)
    totals = "SELECT free_micros, (SELECT sum(entries) FROM ledger_days) FROM billing_accounts"
    assert tuple(connection.execute(text(totals)).one()) == (400, 4)


@pytest.mark.parametrize("role", ["switchboard", "switchboard_system", "switchboard_app"])
@pytest.mark.parametrize("change", ["UPDATE {} SET free_micros = 1", "DELETE FROM {}"])
def test_no_entry_of_any_partition_changes(
    partitioned: tuple[Connection, UUID], change: str, role: str
) -> None:
    connection, tenant_id = partitioned
    post(connection, tenant_id, "new", FIRST_MONTH)
    connection.execute(text("RESET ROLE"))
    tables = ("ledger_entries", f"ledger_entries_{FIRST_MONTH:%Y_%m}", "ledger_entries_before")
    for table in tables:
        connection.execute(text(f"ALTER TABLE {table} NO FORCE ROW LEVEL SECURITY"))
    connection.execute(text(f"SET ROLE {role}"))
    for table in tables:
        refused = pytest.raises(DBAPIError, match=r"append-only|permission denied")
        with refused, connection.begin_nested():
            connection.execute(text(change.format(table)))


def test_no_role_changes_the_references(partitioned: tuple[Connection, UUID]) -> None:
    connection, tenant_id = partitioned
    add = f"INSERT INTO ledger_references VALUES ('{tenant_id}', 'mine', '{uuid4()}')"
    for role in ("switchboard_system", "switchboard_app"):
        connection.execute(text(f"SET ROLE {role}"))
        for statement in (add, "DELETE FROM ledger_references"):
            with pytest.raises(DBAPIError, match="permission denied"), connection.begin_nested():
                connection.execute(text(statement))


def test_a_request_still_posts_charges_only(partitioned: tuple[Connection, UUID]) -> None:
    connection, tenant_id = partitioned
    connection.execute(text(f"SET switchboard.tenant_id = '{tenant_id}'"))
    connection.execute(text("SET ROLE switchboard_app"))
    with pytest.raises(DBAPIError, match="row-level security"), connection.begin_nested():
        post(connection, tenant_id, "mine", FIRST_MONTH)


async def test_an_entry_is_found_by_its_reference(database: Database) -> None:
    tenant_id, other = uuid4(), uuid4()
    async with database.system_session() as session:
        for each in (tenant_id, other):
            await session.execute(
                text("INSERT INTO tenants (id, name) VALUES (:id, 'Tenant')"), {"id": each}
            )
        await repository.open_account(session, tenant_id)
        await service.grant(session, tenant_id, 500, "Welcome", reference="welcome")
        found = await repository.entry_of_reference(session, tenant_id, "welcome")
        assert found is not None
        assert (found.reference, found.amount_micros) == ("welcome", 500)
        assert await repository.entry_of_reference(session, tenant_id, "other") is None
        assert await repository.entry_of_reference(session, other, "welcome") is None

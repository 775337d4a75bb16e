"""Revisions 0020 and 0021: old entries get daily totals, and those posted meanwhile count once."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

from sqlalchemy import Connection, text

from tests.control_plane.migrations import empty_database, upgrade

TODAY = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)


def add_entry(connection: Connection, tenant_id: UUID, kind: str, micros: int, days: int) -> None:
    connection.execute(
        text(
            "INSERT INTO ledger_entries (id, tenant_id, reference, transaction_type, free_micros,"
            " purchased_micros, amount_seconds, description, created_at) VALUES"
            " (gen_random_uuid(), :tenant_id, :reference, :kind, 0, :micros, 0, 'Entry', :at)"
        ),
        {
            "tenant_id": tenant_id,
            "reference": str(uuid4()),
            "kind": kind,
            "micros": micros,
            "at": TODAY - timedelta(days=days),
        },
    )


def test_old_entries_and_new_ones_are_in_the_totals_of_their_day(postgres_url: str) -> None:
    tenant_id = uuid4()
    with empty_database(postgres_url) as connection:
        upgrade(connection, "0019")
        connection.execute(text("SET ROLE switchboard_system"))
        connection.execute(
            text("INSERT INTO tenants (id, name) VALUES (:id, 'Books')"), {"id": tenant_id}
        )
        connection.execute(
            text("INSERT INTO billing_accounts (tenant_id, purchased_micros) VALUES (:id, 85)"),
            {"id": tenant_id},
        )
        add_entry(connection, tenant_id, "grant", 100, days=3)
        add_entry(connection, tenant_id, "charge", -10, days=3)
        add_entry(connection, tenant_id, "charge", -5, days=0)
        connection.execute(text("RESET ROLE"))
        upgrade(connection, "0020")
        connection.execute(text("SET ROLE switchboard_system"))
        add_entry(connection, tenant_id, "charge", -7, days=0)
        connection.execute(text("RESET ROLE"))
        upgrade(connection, "0021")
        connection.execute(text("SET ROLE switchboard_system"))
        add_entry(connection, tenant_id, "charge", -1, days=0)
        days = connection.execute(
            text(
                "SELECT day, entries, free_micros, purchased_micros, charged_micros"
                " FROM ledger_days ORDER BY day"
            )
        ).all()
        balance = connection.scalar(text("SELECT purchased_micros FROM billing_accounts"))
    assert [tuple(row) for row in days] == [
        ((TODAY - timedelta(days=3)).date(), 2, 0, 90, 10),
        (TODAY.date(), 3, 0, -13, 13),
    ]
    assert balance == 77

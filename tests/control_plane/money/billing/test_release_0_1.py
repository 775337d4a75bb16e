"""Release 0.1 goes on working on the books: with one login, and writing totals itself.

The statements are theirs. Source: docs/upgrades.md, "Tables".
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import LiteralString
from uuid import UUID, uuid4

import psycopg
import pytest

from control_plane.money.billing.audits.audit import audit_books
from control_plane.platform.database import APP_ROLE, SYSTEM_ROLE, Database

_HOLD: LiteralString = """
    WITH held AS (
        UPDATE billing_accounts SET held_micros = held_micros + %(micros)s
        WHERE tenant_id = %(tenant_id)s AND is_active
            AND free_micros + purchased_micros - held_micros >= %(micros)s
        RETURNING tenant_id
    )
    INSERT INTO call_reserves (call_id, tenant_id, held_micros, state)
    SELECT %(call_id)s, tenant_id, %(micros)s, 'open' FROM held RETURNING call_id
"""
_ENTRY: LiteralString = """
    INSERT INTO ledger_entries (id, tenant_id, reference, transaction_type, free_micros,
        purchased_micros, amount_seconds, description)
    VALUES (gen_random_uuid(), %s, %s, %s, %s, 0, 0, 'Entry')
"""
_TOTALS: LiteralString = """
    UPDATE billing_accounts SET free_micros = %s, held_micros = %s WHERE tenant_id = %s
"""


@pytest.fixture
def release_0_1(postgres_url: str) -> Iterator[psycopg.Connection]:
    """Its connection assumes a role once and for all."""
    plain = postgres_url.replace("postgresql+psycopg://", "postgresql://")
    with psycopg.connect(plain, autocommit=True) as connection:
        connection.execute(f"SET ROLE {SYSTEM_ROLE}")  # type: ignore[call-overload]
        yield connection


@pytest.fixture
def tenant_id(release_0_1: psycopg.Connection) -> UUID:
    """With 1,000 micro-dollars, posted as release 0.1 did."""
    tenant_id = uuid4()
    release_0_1.execute("INSERT INTO tenants (id, name) VALUES (%s, 'Books')", (tenant_id,))
    release_0_1.execute("INSERT INTO billing_accounts (tenant_id) VALUES (%s)", (tenant_id,))
    post(release_0_1, tenant_id, "grant", 1_000, totals=(1_000, 0), entry_first=True)
    return tenant_id


def post(
    connection: psycopg.Connection,
    tenant_id: UUID,
    kind: str,
    micros: int,
    *,
    totals: tuple[int, int],
    entry_first: bool,
) -> None:
    """An entry, and the totals as they then are, in either order."""

    def write_totals() -> None:
        changed = connection.execute(_TOTALS, (*totals, tenant_id)).rowcount
        assert changed == 1, "its unit of work counts the rows"

    with connection.transaction():
        connection.execute(
            "SELECT * FROM billing_accounts WHERE tenant_id = %s FOR UPDATE", (tenant_id,)
        )
        if not entry_first:
            write_totals()
        connection.execute(_ENTRY, (tenant_id, f"{kind}:{uuid4()}", kind, micros))
        if entry_first:
            write_totals()


def totals_of(connection: psycopg.Connection, tenant_id: UUID) -> tuple[int, int]:
    row = connection.execute(
        "SELECT free_micros, held_micros FROM billing_accounts WHERE tenant_id = %s", (tenant_id,)
    ).fetchone()
    assert row is not None
    return row[0], row[1]


@pytest.mark.parametrize("role", [APP_ROLE, SYSTEM_ROLE])
@pytest.mark.parametrize("entry_first", [True, False])
async def test_its_reserves_and_charges_are_counted_once(
    postgres_url: str,
    release_0_1: psycopg.Connection,
    tenant_id: UUID,
    role: str,
    entry_first: bool,
) -> None:
    release_0_1.execute(f"SET ROLE {role}")  # type: ignore[call-overload]
    release_0_1.execute("SELECT set_config('switchboard.tenant_id', %s, false)", (str(tenant_id),))
    call_id, other_id = uuid4(), uuid4()
    for each in (call_id, other_id):
        release_0_1.execute(
            "INSERT INTO calls (id, tenant_id, agent_id, room_name, status, plan)"
            " VALUES (%s, %s, %s, 'room', 'connecting', '{}')",
            (each, tenant_id, each),
        )
    hold = {"tenant_id": tenant_id, "micros": 600}
    assert release_0_1.execute(_HOLD, hold | {"call_id": call_id}).fetchone() == (call_id,)
    assert release_0_1.execute(_HOLD, hold | {"call_id": other_id}).fetchone() is None
    assert totals_of(release_0_1, tenant_id) == (1_000, 600)

    with release_0_1.transaction():
        release_0_1.execute(
            "UPDATE call_reserves SET held_micros = 700 WHERE call_id = %s", (call_id,)
        )
        release_0_1.execute(_TOTALS, (1_000, 700, tenant_id))
    assert totals_of(release_0_1, tenant_id) == (1_000, 700)

    with release_0_1.transaction():
        release_0_1.execute(
            "UPDATE call_reserves SET state = 'settled', resolved_at = now() WHERE call_id = %s",
            (call_id,),
        )
        post(release_0_1, tenant_id, "charge", -650, totals=(350, 0), entry_first=entry_first)
    assert totals_of(release_0_1, tenant_id) == (350, 0)

    database = Database(postgres_url)
    assert await audit_books(database) == []
    await database.aclose()

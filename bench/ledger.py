"""What a balance, an export and the audit of the books take when the ledger is long.

python -m bench.ledger [--entries 5000000] [--requests 100]
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import time
from collections.abc import Awaitable
from dataclasses import dataclass
from typing import Any, LiteralString
from uuid import UUID, uuid4

import httpx2
import psycopg
from rich.console import Console
from rich.table import Table

from control_plane.money.billing import audit_repository
from control_plane.money.billing.audit import audit_books
from control_plane.money.billing.audit_rotation import in_turn
from control_plane.platform.database import SYSTEM_ROLE, Database
from tests.control_plane.many_calls import add_calls
from tests.own_api import OwnApi, own_api

TENANTS = 500
DAYS = 90
BUSY_SHARE = 10
"""One of so many entries is the busy tenant's, whose balance is asked for."""
AT_ONCE = 250_000
AUDITS = 20
CALLS = 100_000
"""Of the busy tenant."""
EXPORTS = 20
AUDIT_LIMIT_SECONDS = 600.0

_TENANTS: LiteralString = """
    INSERT INTO tenants (id, name) SELECT gen_random_uuid(), 'Tenant ' || n
    FROM generate_series(1, %s) n
"""
_ACCOUNTS: LiteralString = """
    INSERT INTO billing_accounts (tenant_id) SELECT id FROM tenants ON CONFLICT DO NOTHING
"""
_ENTRIES: LiteralString = """
    WITH numbered AS (SELECT id, row_number() OVER () - 1 AS number FROM tenants)
    INSERT INTO ledger_entries (id, tenant_id, reference, transaction_type, call_id, free_micros,
        purchased_micros, amount_seconds, description, metadata, created_at)
    SELECT gen_random_uuid(), CASE WHEN n %% %(share)s = 0 THEN %(busy)s ELSE numbered.id END,
        'call:' || n, 'charge', gen_random_uuid(), 0, -25000, -60, 'Call, 60 seconds',
        '{"agent": "Reception", "rate_micros_per_minute": 25000}',
        now() - (%(entries)s - n) * (interval '1 day' * %(days)s / %(entries)s)
    FROM generate_series(%(first)s::int, %(last)s::int) n JOIN numbered ON number = n %% %(tenants)s
"""


def fill(connection: psycopg.Connection, busy: UUID, entries: int) -> None:
    """Charges of many tenants, spread over ``DAYS``, oldest first."""
    connection.execute(f"SET ROLE {SYSTEM_ROLE}")
    connection.execute(_TENANTS, (TENANTS,))
    connection.execute(_ACCOUNTS)
    for first in range(1, entries + 1, AT_ONCE):
        connection.execute(
            _ENTRIES,
            {
                "share": BUSY_SHARE,
                "busy": busy,
                "entries": entries,
                "days": DAYS,
                "tenants": TENANTS,
                "first": first,
                "last": min(first + AT_ONCE - 1, entries),
            },
        )
    connection.execute("RESET ROLE")
    connection.execute("VACUUM (ANALYZE) ledger_entries")


def answered_seconds(api: OwnApi, key: str, path: str, requests: int) -> list[float]:
    """How long each request took, with all of its answer."""
    taken = []
    headers = {"Authorization": f"Bearer {key}"}
    with httpx2.Client(base_url=api.url, headers=headers, timeout=60) as http:
        for _ in range(requests):
            began = time.perf_counter()
            http.get(path).raise_for_status()
            taken.append(time.perf_counter() - began)
    return taken


@dataclass(frozen=True)
class Audited:
    """How long each part of the audit took, in seconds."""

    accounts: list[float]
    day: list[float]
    whole: list[float]


async def audited(api: OwnApi) -> Audited:
    database = Database(
        api.app_url, system_url=api.system_url, deadline_seconds=AUDIT_LIMIT_SECONDS
    )
    times = Audited([], [], [])
    for _ in range(AUDITS):
        async with database.system_session() as session:
            times.accounts.append(await _taken(audit_repository.unbalanced_accounts(session)))
    async with database.system_session() as session:
        spans = in_turn(await audit_repository.days(session))
        for span in spans:
            times.day.append(await _taken(audit_repository.tenants_with_wrong_days(session, span)))
    times.whole.append(await _taken(audit_books(database, seconds=AUDIT_LIMIT_SECONDS)))
    await database.aclose()
    return times


async def _taken(finding: Awaitable[list[Any]]) -> float:
    began = time.perf_counter()
    if found := await finding:
        raise RuntimeError(f"the books do not balance: {found}")
    return time.perf_counter() - began


def run(entries: int, requests: int) -> Table:
    table = Table(title=f"{entries:,} entries of {TENANTS} tenants in {DAYS} days")
    for column in ("what", "p50 ms", "p99 ms"):
        table.add_column(column, justify="left" if column == "what" else "right")
    with own_api() as api:
        busy, key = api.open_account()
        with psycopg.connect(api.psycopg_url, autocommit=True) as connection:
            fill(connection, busy, entries)
            add_calls(connection, busy, [uuid4()], CALLS)
        asked = answered_seconds(api, key, "/v1/billing/balance", requests)
        exported = answered_seconds(api, key, "/v1/billing/export.csv", EXPORTS)
        audit = asyncio.run(audited(api))
    for what, seconds in (
        ("GET /v1/billing/balance", asked),
        ("GET /v1/billing/export.csv, 5,000 calls", exported),
        ("audit: all accounts", audit.accounts),
        ("audit: one day", audit.day),
        ("audit: all accounts and all days", audit.whole),
    ):
        p99 = sorted(seconds)[int(0.99 * (len(seconds) - 1))]
        table.add_row(what, f"{statistics.median(seconds) * 1000:.1f}", f"{p99 * 1000:.1f}")
    return table


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--entries", type=int, default=5_000_000)
    parser.add_argument("--requests", type=int, default=100)
    arguments = parser.parse_args()
    Console().print(run(arguments.entries, arguments.requests))


if __name__ == "__main__":
    main()

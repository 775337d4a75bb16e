"""What a balance, an export and the audit of the books take when the ledger is long.

    python -m bench.ledger [--entries 5000000] [--payments 100000] [--requests 1000]

With 5,000,000 entries, the p99 of a balance may be 15 ms, that of an export of 5,000 calls 2 s, and
that of the audit as ``switchboard billing audit`` does it 5 s. A limit that is missed is named, and
the exit code is 1.
"""

from __future__ import annotations

import argparse
import asyncio
import math
import statistics
import sys
import time
from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, LiteralString
from uuid import UUID, uuid4

import httpx2
import psycopg
from rich.console import Console
from rich.table import Table

from control_plane.money.billing.audits import repository as audit_repository
from control_plane.money.billing.audits.audit import audit_books
from control_plane.money.billing.audits.rotation import in_turn
from control_plane.money.payments.auditing.audit import audit_payments
from control_plane.platform.database import SYSTEM_ROLE, Database
from switchboard.commands.billing import AUDIT_SECONDS as COMMAND_SECONDS
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
BALANCE = "GET /v1/billing/balance"
EXPORT = "GET /v1/billing/export.csv, 5,000 calls"
COMMAND = "audit: as the command does it"
LIMITS_SECONDS = {BALANCE: 0.015, EXPORT: 2.0, COMMAND: 5.0}
"""What the p99 of each may be with 5,000,000 entries."""

_TENANTS: LiteralString = """
    INSERT INTO tenants (id, name) SELECT gen_random_uuid(), 'Tenant ' || n
    FROM generate_series(1, %s) n
"""
_ACCOUNTS: LiteralString = """
    INSERT INTO billing_accounts (tenant_id) SELECT id FROM tenants ON CONFLICT DO NOTHING
"""
# Ids in the order of time: PostgreSQL adds to the end of the index while it loads.
_ENTRIES: LiteralString = """
    WITH numbered AS (SELECT id, row_number() OVER () - 1 AS number FROM tenants)
    INSERT INTO ledger_entries (id, tenant_id, reference, transaction_type, call_id, free_micros,
        purchased_micros, amount_seconds, description, metadata, created_at)
    SELECT uuidv7(), CASE WHEN n %% %(share)s = 0 THEN %(busy)s ELSE numbered.id END,
        'call:' || n, 'charge', uuidv7(), 0, -25000, -60, 'Call, 60 seconds',
        '{"agent": "Reception", "rate_micros_per_minute": 25000}',
        now() - (%(entries)s - n) * (interval '1 day' * %(days)s / %(entries)s)
    FROM generate_series(%(first)s::int, %(last)s::int) n JOIN numbered ON number = n %% %(tenants)s
"""
_PAYMENTS: LiteralString = """
    INSERT INTO payments (id, tenant_id, kind, state, gateway, currency, subtotal_minor, tax_minor,
        total_minor, credit_micros, bonus_micros, taxes, gateway_payment_id, created_at,
        resolved_at)
    SELECT gen_random_uuid(), CASE WHEN n %% %(share)s = 0 THEN %(busy)s ELSE numbered.id END,
        'recharge', 'succeeded', 'stripe', 'USD', 2000, 0, 2000, 20000000, 0, '[]', 'pi_' || n,
        paid_at, paid_at
    FROM generate_series(1, %(payments)s::int) n
    CROSS JOIN LATERAL (
        SELECT now() - (n - 1) * (interval '1 day' * %(days)s / %(payments)s) AS paid_at
    ) AS paid
    JOIN (SELECT id, row_number() OVER () - 1 AS number FROM tenants) AS numbered
        ON number = n %% %(tenants)s
"""
_TOP_UPS: LiteralString = """
    INSERT INTO ledger_entries (id, tenant_id, reference, transaction_type, free_micros,
        purchased_micros, amount_seconds, description, created_at)
    SELECT gen_random_uuid(), tenant_id, 'topup:stripe:' || gateway_payment_id, 'topup', 0,
        credit_micros, 0, 'Automatic recharge', resolved_at
    FROM payments
"""
_INVOICES: LiteralString = """
    INSERT INTO invoices (id, invoice_number, tenant_id, kind, status, currency, subtotal_minor,
        tax_minor, discount_minor, total_minor, taxes, gateway, payment_event_id, reference,
        billed_to, issued_at)
    SELECT gen_random_uuid(), 'INV-2026-' || lpad(row_number() OVER ()::text, 8, '0'), tenant_id,
        'topup', 'paid', currency, total_minor, 0, 0, total_minor, '[]', gateway, id,
        'payment:' || id, '{}', resolved_at
    FROM payments
"""
_ITEMS: LiteralString = """
    INSERT INTO invoice_items (id, invoice_id, tenant_id, line, kind, description, quantity,
        unit_amount_minor, amount_minor)
    SELECT gen_random_uuid(), id, tenant_id, 1, 'topup', 'Prepaid credit', 1, subtotal_minor,
        subtotal_minor
    FROM invoices
"""
_COUNTER: LiteralString = """
    INSERT INTO invoice_counters (prefix, year, last_number) VALUES ('INV', 2026, %s)
"""


def fill(connection: psycopg.Connection, busy: UUID, entries: int, payments: int) -> None:
    """Charges and top-ups of many tenants, spread over ``DAYS``."""
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
    connection.execute(
        _PAYMENTS,
        {
            "share": BUSY_SHARE,
            "busy": busy,
            "payments": payments,
            "tenants": TENANTS,
            "days": DAYS,
        },
    )
    connection.execute(_TOP_UPS)
    connection.execute(_INVOICES)
    connection.execute(_ITEMS)
    connection.execute(_COUNTER, (payments,))
    connection.execute("RESET ROLE")


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
    payments: list[float]
    incremental: list[float]
    """As ``switchboard billing audit`` does it."""
    whole: list[float]


async def audited(api: OwnApi) -> Audited:
    database = Database(
        api.app_url, system_url=api.system_url, deadline_seconds=AUDIT_LIMIT_SECONDS
    )
    times = Audited([], [], [], [], [])
    for _ in range(AUDITS):
        async with database.system_session() as session:
            times.accounts.append(await _taken(audit_repository.unbalanced_accounts(session)))
    async with database.system_session() as session:
        spans = in_turn(await audit_repository.days(session))
        for span in spans:
            times.day.append(await _taken(audit_repository.tenants_with_wrong_days(session, span)))
    for _ in range(3):
        times.payments.append(await _taken(audit_payments(database, seconds=AUDIT_LIMIT_SECONDS)))
    for _ in range(3):
        began = time.perf_counter()
        await _taken(audit_books(database, seconds=COMMAND_SECONDS / 2))
        await _taken(audit_payments(database, seconds=COMMAND_SECONDS / 2))
        times.incremental.append(time.perf_counter() - began)
    times.whole.append(await _taken(audit_books(database, seconds=AUDIT_LIMIT_SECONDS)))
    await database.aclose()
    return times


async def _taken(finding: Awaitable[list[Any]]) -> float:
    began = time.perf_counter()
    if found := await finding:
        raise RuntimeError(f"the books do not balance: {found}")
    return time.perf_counter() - began


def p99(seconds: Sequence[float]) -> float:
    """The highest one of up to 100."""
    return sorted(seconds)[math.ceil(0.99 * len(seconds)) - 1]


def missed(measured: Mapping[str, Sequence[float]]) -> list[str]:
    """A sentence for each limit whose p99 is above it. What is missing in ``measured`` fails.

    Args:
        measured: seconds, by what took them.
    """
    return [
        f"{what}: the p99 of {p99(measured[what]) * 1000:,.1f} ms is above {limit * 1000:,.0f} ms."
        for what, limit in LIMITS_SECONDS.items()
        if p99(measured[what]) > limit
    ]


def table_of(measured: Mapping[str, Sequence[float]], title: str) -> Table:
    table = Table(title=title)
    for column in ("what", "p50 ms", "p99 ms", "limit ms"):
        table.add_column(column, justify="left" if column == "what" else "right")
    for what, seconds in measured.items():
        limit = LIMITS_SECONDS.get(what)
        table.add_row(
            what,
            f"{statistics.median(seconds) * 1000:,.1f}",
            f"{p99(seconds) * 1000:,.1f}",
            "" if limit is None else f"{limit * 1000:,.0f}",
        )
    return table


def measure(entries: int, payments: int, requests: int) -> dict[str, list[float]]:
    """Seconds, by what took them."""
    with own_api(durable=False) as api:
        busy, key = api.open_account()
        with psycopg.connect(api.psycopg_url, autocommit=True) as connection:
            fill(connection, busy, entries, payments)
            add_calls(connection, busy, [uuid4()], CALLS)
            # The embedded PostgreSQL of a benchmark never does it by itself.
            connection.execute("VACUUM (ANALYZE)")
        asked = answered_seconds(api, key, "/v1/billing/balance", requests)
        exported = answered_seconds(api, key, "/v1/billing/export.csv", EXPORTS)
        audit = asyncio.run(audited(api))
    return {
        BALANCE: asked,
        EXPORT: exported,
        "audit: all accounts": audit.accounts,
        "audit: one day": audit.day,
        "audit: all payments and invoices": audit.payments,
        COMMAND: audit.incremental,
        "audit: all accounts and all days": audit.whole,
    }


def main() -> int:
    """The exit code: 1 if a limit is missed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--entries", type=int, default=5_000_000)
    parser.add_argument("--payments", type=int, default=100_000)
    parser.add_argument("--requests", type=int, default=1_000)
    arguments = parser.parse_args()
    entries, payments = arguments.entries, arguments.payments
    measured = measure(entries, payments, arguments.requests)
    console = Console()
    title = f"{entries:,} charges of {TENANTS} tenants in {DAYS} days, {payments:,} payments"
    console.print(table_of(measured, title))
    failures = missed(measured)
    for failure in failures:
        console.print(failure, style="red", soft_wrap=True)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

"""``/v1/billing`` for its owner."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from fastapi import FastAPI
from sqlalchemy import text

from control_plane.money.billing import service
from control_plane.platform.database import Database
from tests.control_plane.conftest import TenantClient
from tests.control_plane.sent_statements import tenants_statements


async def test_a_new_accounts_balance_is_its_welcome_credit(tenant: TenantClient) -> None:
    answer = await tenant.get("/v1/billing/balance")
    assert answer.status_code == 200
    assert answer.json() == {
        "tenant_id": str(tenant.tenant_id),
        "balance_seconds": 12_000,
        "balance_usd": 10.0,
        "balance_cents": 1000,
        "balance_credits": 1000.0,
        "purchased_credits": 0.0,
        "free_credits": 1000.0,
        "plan_credits": 0.0,
        "active_bucket": "included",
        "held_usd": 0.0,
        "available_usd": 10.0,
        "estimated_minutes_remaining": 200.0,
        "topup_minutes_remaining": 0.0,
        "is_active": True,
        "tone": "ok",
        "tenant_state": "no_agents",
        "recent_daily_spend_usd": None,
        "runway_days_estimate": None,
    }


async def test_an_agent_changes_the_tenants_state(tenant: TenantClient) -> None:
    await tenant.agent()
    assert (await tenant.get("/v1/billing/balance")).json()["tenant_state"] == "agents_no_calls"


async def test_both_buckets_add_up(tenant: TenantClient, database: Database) -> None:
    async with database.system_session() as session:
        await service.grant(
            session, tenant.tenant_id, 2_500_000, "Top-up", bucket="purchased", reference="pay-1"
        )
    balance = (await tenant.get("/v1/billing/balance")).json()
    assert (balance["free_credits"], balance["purchased_credits"]) == (1000, 250)
    assert balance["balance_credits"] == 1250
    assert balance["topup_minutes_remaining"] == 50


async def test_a_week_of_calls_tells_the_runway(tenant: TenantClient, database: Database) -> None:
    """Charges on each of the seven days before today: $0.70 of $10 in all."""
    await charges_of_a_week(tenant, database, 100_000)
    balance = (await tenant.get("/v1/billing/balance")).json()
    assert balance["recent_daily_spend_usd"] == 0.1
    assert balance["runway_days_estimate"] == 93


async def test_a_balance_that_is_used_up_lasts_no_days(
    tenant: TenantClient, database: Database
) -> None:
    await charges_of_a_week(tenant, database, 1_000_000)
    async with database.system_session() as session:
        await service.adjust(
            session, tenant.tenant_id, "debit", -3_000_000, "Spent", reference="x", details={}
        )
    balance = (await tenant.get("/v1/billing/balance")).json()
    assert (balance["balance_usd"], balance["recent_daily_spend_usd"]) == (0, 1)
    assert balance["runway_days_estimate"] == 0


async def charges_of_a_week(tenant: TenantClient, database: Database, micros: int) -> None:
    now = datetime.now(UTC)
    async with database.tenant_session(tenant.tenant_id) as session:
        for days in range(1, 8):
            await session.execute(
                text(
                    "INSERT INTO ledger_entries (id, tenant_id, reference, transaction_type,"
                    " free_micros, purchased_micros, amount_seconds, description, created_at)"
                    " VALUES (gen_random_uuid(), :t, :r, 'charge', :micros, 0, -60, 'Call', :at)"
                ),
                {
                    "t": tenant.tenant_id,
                    "r": f"call:{days}",
                    "micros": -micros,
                    "at": now - timedelta(days=days),
                },
            )


async def test_a_balance_reads_daily_totals_and_no_entry_of_the_ledger(
    tenant: TenantClient, app: FastAPI, database: Database
) -> None:
    await charges_of_a_week(tenant, database, 100_000)
    with tenants_statements(app.state.database) as sent:
        balance = (await tenant.get("/v1/billing/balance")).json()
    assert balance["recent_daily_spend_usd"] == 0.1
    assert any("ledger_days" in statement for statement in sent)
    assert not [statement for statement in sent if "ledger_entries" in statement]


async def test_the_welcome_credit_is_the_first_transaction(tenant: TenantClient) -> None:
    answer = await tenant.get("/v1/billing/transactions")
    assert answer.status_code == 200
    [entry] = answer.json()["transactions"]
    assert entry["transaction_type"] == "grant"
    assert (entry["amount_usd"], entry["amount_seconds"]) == (10, 12_000)
    assert entry["call_id"] is None
    assert set(entry) == {
        "id",
        "call_id",
        "amount_seconds",
        "amount_usd",
        "transaction_type",
        "description",
        "metadata",
        "created_at",
    }


async def test_transactions_are_bounded_by_days(tenant: TenantClient) -> None:
    today = datetime.now(UTC).date()

    async def count(query: str) -> int:
        answer = await tenant.get(f"/v1/billing/transactions?{query}")
        assert answer.status_code == 200, answer.text
        return len(answer.json()["transactions"])

    assert await count(f"from={today}&to={today}") == 1, "both bounds are inclusive"
    assert await count(f"from={today + timedelta(days=1)}") == 0
    assert await count(f"to={today - timedelta(days=1)}") == 0
    assert await count("limit=5000") == 1, "a higher limit counts as the cap"


@pytest.mark.parametrize("query", ["limit=0", "limit=x", "from=soon", "to=2026-02-30"])
async def test_a_wrong_query_is_400(tenant: TenantClient, query: str) -> None:
    answer = await tenant.get(f"/v1/billing/transactions?{query}")
    fields = [error["field"] for error in answer.json()["errors"]]
    assert (answer.status_code, fields) == (400, [query.partition("=")[0]])


@pytest.mark.parametrize("path", ["balance", "transactions"])
async def test_a_publishable_key_sees_no_money(tenant: TenantClient, path: str) -> None:
    key = await tenant.publishable_key()
    answer = await tenant.http.get(f"/v1/billing/{path}", headers=key)
    assert (answer.status_code, answer.json()["code"]) == (403, "secret_key_required")

"""``/v1/billing/alerts`` and ``/v1/billing/spend-alerts``, and the job that raises alerts."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from sqlalchemy import text

from control_plane.money.billing.credit import post_topup
from control_plane.money.spend_alerts.tasks import watch_spending
from control_plane.platform.database import Database
from tests.control_plane.conftest import TenantClient
from tests.control_plane.dashboard import dashboard_client

NOW = datetime.now(UTC)
WANTED = {"thresholds_usd": [2, 0.5], "low_balance_pct": 60, "email_enabled": False}


async def spend(database: Database, tenant: TenantClient, micros: int, at: datetime = NOW) -> None:
    async with database.tenant_session(tenant.tenant_id) as session:
        await session.execute(
            text(
                "INSERT INTO ledger_entries (id, tenant_id, reference, transaction_type,"
                " free_micros, purchased_micros, amount_seconds, description, created_at)"
                " VALUES (gen_random_uuid(), :t, :r, 'charge', -:m, 0, -60, 'Call', :at)"
            ),
            {"t": tenant.tenant_id, "r": f"call:{uuid4()}", "m": micros, "at": at},
        )


async def alerts(tenant: TenantClient) -> dict[str, list[dict[str, Any]]]:
    answer = await tenant.get("/v1/billing/spend-alerts")
    assert answer.status_code == 200, answer.text
    found: dict[str, list[dict[str, Any]]] = answer.json()
    return found


async def save(tenant: TenantClient, **changes: Any) -> None:
    answer = await tenant.request("PUT", "/v1/billing/alerts", json=WANTED | changes)
    assert (answer.status_code, answer.json()) == (200, {"ok": True})


async def mails(database: Database) -> int:
    async with database.system_session() as session:
        return (
            await session.scalar(
                text(
                    "SELECT count(*) FROM procrastinate_jobs"
                    " WHERE task_name = 'spend_alerts.send_mail'"
                )
            )
            or 0
        )


async def test_a_tenant_with_nothing_saved_has_defaults(tenant: TenantClient) -> None:
    answer = await tenant.get("/v1/billing/alerts")
    assert (answer.status_code, answer.json()) == (
        200,
        {"thresholds_usd": [], "low_balance_pct": 10, "email_enabled": True},
    )


async def test_what_is_saved_is_shown(tenant: TenantClient) -> None:
    await save(tenant)
    saved = (await tenant.get("/v1/billing/alerts")).json()
    assert saved == WANTED | {"thresholds_usd": [0.5, 2.0]}


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"thresholds_usd": list(range(1, 12))}, "thresholds_usd"),
        ({"thresholds_usd": [0]}, "thresholds_usd[0]"),
        ({"low_balance_pct": 101}, "low_balance_pct"),
        ({"low_balance_pct": -1}, "low_balance_pct"),
        ({"low_balance_pct": 1.5}, "low_balance_pct"),
        ({"email_enabled": "yes"}, "email_enabled"),
    ],
)
async def test_a_wrong_setting_is_400_and_names_the_field(
    tenant: TenantClient, changes: dict[str, Any], field: str
) -> None:
    answer = await tenant.request("PUT", "/v1/billing/alerts", json=WANTED | changes)
    assert (answer.status_code, [each["field"] for each in answer.json()["errors"]]) == (
        400,
        [field],
    )


async def test_each_alert_is_raised_once(tenant: TenantClient, database: Database) -> None:
    await save(tenant)
    await spend(database, tenant, 600_000)
    for _ in range(3):
        await watch_spending(database, NOW)
    [alert] = (await alerts(tenant))["unacknowledged"]
    assert (alert["alert_type"], alert["severity"]) == ("monthly_spend", "warning")
    assert (alert["amount_usd"], alert["threshold_usd"]) == (0.6, 0.5)
    await spend(database, tenant, 1_400_000)
    await watch_spending(database, NOW)
    found = (await alerts(tenant))["unacknowledged"]
    assert sorted(each["threshold_usd"] for each in found) == [0.5, 2.0]
    assert await mails(database) == 0


async def test_a_threshold_that_the_last_minute_of_a_month_reaches_is_told_in_the_next_one(
    tenant: TenantClient, database: Database
) -> None:
    await save(tenant)
    month = NOW.replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    await spend(database, tenant, 600_000, month - timedelta(seconds=30))
    for seconds in (20, 80):
        await watch_spending(database, month + timedelta(seconds=seconds))
    [alert] = (await alerts(tenant))["unacknowledged"]
    assert (alert["alert_type"], alert["amount_usd"], alert["threshold_usd"]) == (
        "monthly_spend",
        0.6,
        0.5,
    )


async def test_the_balance_is_compared_with_the_last_top_up(
    tenant: TenantClient, database: Database
) -> None:
    await save(tenant, thresholds_usd=[], low_balance_pct=100)
    async with database.system_session() as session:
        await post_topup(
            session, tenant.tenant_id, 16_000_000, "Top-up", reference="pay", details={}
        )
    await spend(database, tenant, 9_000_000)
    await watch_spending(database, NOW)
    assert (await alerts(tenant))["unacknowledged"] == [], "$17 are left, of a top-up of $16"
    for _ in range(2):
        await spend(database, tenant, 500_000)
        await watch_spending(database, NOW)
    [alert] = (await alerts(tenant))["unacknowledged"]
    assert (alert["alert_type"], alert["amount_usd"], alert["threshold_usd"]) == (
        "low_balance",
        16,
        16,
    )


async def test_an_unusual_hour_is_told_once_a_day(tenant: TenantClient, database: Database) -> None:
    for days in range(1, 5):
        await spend(database, tenant, 100_000, NOW - timedelta(days=days))
    await spend(database, tenant, 1_500_000)
    for _ in range(2):
        await watch_spending(database, NOW)
    found = (await alerts(tenant))["unacknowledged"]
    assert {(each["alert_type"], each["severity"]) for each in found} == {
        ("hourly_velocity", "warning"),
        ("hourly_velocity", "critical"),
    }


async def test_an_alert_is_mailed_to_those_who_manage_the_tenant(
    tenant: TenantClient, database: Database
) -> None:
    await dashboard_client(tenant, database, "owner")
    await dashboard_client(tenant, database, "member")
    await save(tenant, email_enabled=True, thresholds_usd=[0.5])
    await spend(database, tenant, 600_000)
    for _ in range(2):
        await watch_spending(database, NOW)
    assert await mails(database) == 1


async def test_an_alert_is_acknowledged_once(tenant: TenantClient, database: Database) -> None:
    await save(tenant, thresholds_usd=[0.5])
    await spend(database, tenant, 600_000)
    await watch_spending(database, NOW)
    [alert] = (await alerts(tenant))["unacknowledged"]
    path = f"/v1/billing/spend-alerts/{alert['id']}/acknowledge"
    answer = await tenant.post(path)
    assert answer.status_code == 200
    assert answer.json()["id"] == alert["id"]
    after = await alerts(tenant)
    assert after["unacknowledged"] == []
    assert [each["id"] for each in after["recent"]] == [alert["id"]]
    assert after["recent"][0]["acknowledged_at"] == answer.json()["acknowledged_at"]
    again = await tenant.post(path)
    assert (again.status_code, again.json()["code"]) == (404, "spend_alert_not_found")


async def test_a_missing_or_foreign_alert_is_404(
    tenant: TenantClient, other_tenant: TenantClient, database: Database
) -> None:
    await save(other_tenant, thresholds_usd=[0.5])
    await spend(database, other_tenant, 600_000)
    await watch_spending(database, NOW)
    [foreign] = (await alerts(other_tenant))["unacknowledged"]
    for alert_id in (UUID(foreign["id"]), uuid4()):
        answer = await tenant.post(f"/v1/billing/spend-alerts/{alert_id}/acknowledge")
        assert (answer.status_code, answer.json()["code"]) == (404, "spend_alert_not_found")

"""``/v1/billing/plan`` and ``/v1/billing/extra-usage``."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import httpx2
import pytest

from control_plane.money.plans.month import begins_at, month_of, next_month
from control_plane.money.plans.monthly_credit import renew_plan_credit
from control_plane.platform.database import Database
from tests.control_plane.conftest import OPERATOR, TenantClient
from tests.control_plane.dashboard import dashboard_client

MONTHLY_USD = 99


async def plan_of(tenant: TenantClient) -> dict[str, Any]:
    answer = await tenant.get("/v1/billing/plan")
    assert answer.status_code == 200, answer.text
    plan: dict[str, Any] = answer.json()
    return plan


@pytest.fixture
async def subscriber(tenant: TenantClient, http: httpx2.AsyncClient) -> TenantClient:
    """On a plan with ``MONTHLY_USD``, of which it has got nothing yet."""
    plan = {"id": "growth", "display_name": "Growth", "monthly_credit_usd": MONTHLY_USD}
    answer = await http.post("/v1/operator/plans", headers=OPERATOR, json=plan)
    assert answer.status_code == 201, answer.text
    path = f"/v1/operator/tenants/{tenant.tenant_id}"
    answer = await http.patch(path, headers=OPERATOR, json={"plan_id": "growth"})
    assert answer.status_code == 200, answer.text
    return tenant


async def test_a_new_tenant_pays_as_it_goes(tenant: TenantClient) -> None:
    plan = await plan_of(tenant)
    assert datetime.fromisoformat(plan.pop("plan_active_since")) <= datetime.now(UTC)
    assert plan == {
        "plan_id": "pay_as_you_go",
        "plan": {
            "id": "pay_as_you_go",
            "display_name": "Pay as you go",
            "monthly_credit_cents": 0,
            "byok_allowed": True,
        },
        "monthly_credit_remaining_cents": 0,
        "monthly_credit_resets_at": None,
        "topup_balance_cents": 0,
        "extra_usage_enabled": True,
        "preferred_gateway": None,
        "preferred_currency": "USD",
        "usd_to_inr_rate": None,
        "billing_mode": "prepaid_only",
    }


async def test_a_plans_credit_is_shown_apart_from_free_credit(
    subscriber: TenantClient, database: Database
) -> None:
    now = datetime.now(UTC)
    before = await plan_of(subscriber)
    assert before["monthly_credit_remaining_cents"] == 0
    await renew_plan_credit(database, now, "INV")
    plan = await plan_of(subscriber)
    assert plan["plan"]["monthly_credit_cents"] == MONTHLY_USD * 100
    assert plan["monthly_credit_remaining_cents"] == MONTHLY_USD * 100
    resets_at = datetime.fromisoformat(plan["monthly_credit_resets_at"])
    assert resets_at == begins_at(next_month(month_of(now)))
    balance = (await subscriber.get("/v1/billing/balance")).json()
    assert (balance["plan_credits"], balance["free_credits"]) == (9_900, 10_900)
    assert balance["balance_credits"] == balance["free_credits"] + balance["purchased_credits"]
    newest = (await subscriber.get("/v1/billing/transactions")).json()["transactions"][0]
    assert (newest["transaction_type"], newest["amount_usd"]) == ("grant", MONTHLY_USD)


async def test_a_change_of_plan_is_when_it_became_active(subscriber: TenantClient) -> None:
    since = datetime.fromisoformat((await plan_of(subscriber))["plan_active_since"])
    assert (datetime.now(UTC) - since).total_seconds() < 60


async def test_extra_usage_is_on_until_it_is_switched_off(
    tenant: TenantClient, http: httpx2.AsyncClient
) -> None:
    path = f"/v1/operator/tenants/{tenant.tenant_id}/credits"
    bought = {"amount_usd": 5, "description": "Paid", "bucket": "purchased"}
    assert (await http.post(path, headers=OPERATOR, json=bought)).status_code == 201
    assert (await tenant.get("/v1/billing/extra-usage")).json() == {"enabled": True}
    for _ in range(2):
        answer = await tenant.request("PUT", "/v1/billing/extra-usage", json={"enabled": False})
        assert (answer.status_code, answer.json()) == (200, {"ok": True})
    assert (await tenant.get("/v1/billing/extra-usage")).json() == {"enabled": False}
    balance = (await tenant.get("/v1/billing/balance")).json()
    assert (balance["balance_usd"], balance["available_usd"]) == (15, 10)
    audit = (await tenant.get("/v1/audit-log?action=extra_usage.updated")).json()["entries"]
    assert [entry["changes"] for entry in audit] == [{"enabled": [True, False]}]


@pytest.mark.parametrize("body", [{}, {"enabled": "no"}, {"enabled": 0}])
async def test_a_wrong_body_is_400_and_names_the_field(
    tenant: TenantClient, body: dict[str, Any]
) -> None:
    answer = await tenant.request("PUT", "/v1/billing/extra-usage", json=body)
    assert (answer.status_code, [each["field"] for each in answer.json()["errors"]]) == (
        400,
        ["enabled"],
    )


async def test_members_see_the_plan_and_do_not_change_extra_usage(
    tenant: TenantClient, database: Database
) -> None:
    member = await dashboard_client(tenant, database, "member")
    assert (await member.get("/v1/billing/plan")).status_code == 200
    answer = await member.request("PUT", "/v1/billing/extra-usage", json={"enabled": False})
    assert (answer.status_code, answer.json()["code"]) == (403, "role_required")
    assert (await member.get("/v1/billing/extra-usage")).json() == {"enabled": True}

"""Credit from the operator."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import pytest

from control_plane.money.spend_alerts.tasks import watch_spending
from control_plane.platform.database import Database
from tests.control_plane.conftest import TenantClient
from tests.control_plane.conversation import balance_of
from tests.control_plane.operator.conftest import OperatorClient, audit_log_of


def path(tenant: TenantClient) -> str:
    return f"/tenants/{tenant.tenant_id}/credits"


def credit(amount_usd: object = 5, **fields: Any) -> dict[str, Any]:
    return {"amount_usd": amount_usd, "description": "Goodwill"} | fields


async def test_credit_is_in_the_balance_the_ledger_and_the_audit_log(
    operator: OperatorClient, tenant: TenantClient
) -> None:
    granted = await operator.ok("POST", path(tenant), credit(2.5))
    assert (granted["amount_usd"], granted["balance_usd"]) == (2.5, 12.5)
    assert granted["already_posted"] is False
    assert (await balance_of(tenant))["balance_usd"] == 12.5
    newest = (await tenant.get("/v1/billing/transactions")).json()["transactions"][0]
    assert newest["id"] == granted["transaction_id"]
    assert (newest["transaction_type"], newest["description"]) == ("grant", "Goodwill")
    entry = (await audit_log_of(tenant))[0]
    assert (entry["action"], entry["target_id"]) == ("credit.granted", granted["transaction_id"])
    assert entry["changes"] == {"amount_usd": 2.5, "description": "Goodwill"}


async def test_credit_goes_to_the_bucket_that_is_named(
    operator: OperatorClient, tenant: TenantClient
) -> None:
    await operator.ok("POST", path(tenant), credit(1, bucket="purchased"))
    balance = await balance_of(tenant)
    assert (balance["purchased_credits"], balance["free_credits"]) == (100, 1000)


async def test_credit_that_was_paid_for_is_a_top_up_for_alerts(
    operator: OperatorClient, tenant: TenantClient, database: Database
) -> None:
    """As on an installation without a payment gateway."""
    settings = {"thresholds_usd": [], "low_balance_pct": 50, "email_enabled": False}
    await tenant.request("PUT", "/v1/billing/alerts", json=settings)
    await operator.ok("POST", path(tenant), credit(20, bucket="purchased"))
    await operator.ok("POST", path(tenant), credit(1))
    debit = {"amount_usd": 21, "reason": "Bank transfer returned", "posted_by": "Mia"}
    await operator.ok("POST", f"/tenants/{tenant.tenant_id}/debits", debit)
    await watch_spending(database, datetime.now(UTC))
    [alert] = (await tenant.get("/v1/billing/spend-alerts")).json()["unacknowledged"]
    assert (alert["alert_type"], alert["amount_usd"], alert["threshold_usd"]) == (
        "low_balance",
        10,
        10,
    )


async def test_without_a_reference_each_request_is_a_credit(
    operator: OperatorClient, tenant: TenantClient
) -> None:
    for _ in range(2):
        await operator.ok("POST", path(tenant), credit(1))
    assert (await balance_of(tenant))["balance_usd"] == 12


async def test_a_repeated_reference_is_posted_once(
    operator: OperatorClient, tenant: TenantClient
) -> None:
    wanted = credit(3, reference="ticket-4711")
    first = await operator.request("POST", path(tenant), wanted)
    again = await operator.request("POST", path(tenant), wanted)
    assert (first.status_code, again.status_code) == (201, 200)
    assert again.json() == first.json() | {"already_posted": True}
    assert (await balance_of(tenant))["balance_usd"] == 13
    actions = [entry["action"] for entry in await audit_log_of(tenant)]
    assert actions.count("credit.granted") == 1


async def test_repetitions_that_arrive_together_are_posted_once(
    operator: OperatorClient, tenant: TenantClient
) -> None:
    wanted = credit(3, reference="ticket-4711")
    answers = await asyncio.gather(
        *(operator.request("POST", path(tenant), wanted) for _ in range(5))
    )
    assert sorted(answer.status_code for answer in answers) == [200, 200, 200, 200, 201]
    assert (await balance_of(tenant))["balance_usd"] == 13


@pytest.mark.parametrize("other", [credit(4), credit(3, bucket="purchased")])
async def test_a_reference_with_another_amount_or_bucket_is_409(
    operator: OperatorClient, tenant: TenantClient, other: dict[str, Any]
) -> None:
    await operator.ok("POST", path(tenant), credit(3, reference="ticket-4711"))
    refused = await operator.refused("POST", path(tenant), other | {"reference": "ticket-4711"})
    assert refused == (409, "credit_reference_taken")


async def test_a_reference_belongs_to_one_tenant_and_never_meets_our_own(
    operator: OperatorClient, tenant: TenantClient, other_tenant: TenantClient
) -> None:
    for client in (tenant, other_tenant):
        await operator.ok("POST", path(client), credit(1, reference="spring"))
        # The reference of the welcome credit.
        await operator.ok("POST", path(client), credit(1, reference="welcome"))
        assert (await balance_of(client))["balance_usd"] == 12


@pytest.mark.parametrize(
    ("body", "field"),
    [
        (credit(0), "amount_usd"),
        (credit(-1), "amount_usd"),
        (credit(0.0000001), "amount_usd"),
        (credit(1_000_001), "amount_usd"),
        (credit("much"), "amount_usd"),
        (credit(None), "amount_usd"),
        (credit(description=""), "description"),
        (credit(reference=""), "reference"),
        (credit(bucket="stolen"), "bucket"),
        ({"description": "x"}, "amount_usd"),
        ({"amount_usd": 1}, "description"),
        (credit(currency="EUR"), "currency"),
    ],
)
async def test_a_wrong_credit_is_400_and_names_the_field(
    operator: OperatorClient, tenant: TenantClient, body: dict[str, Any], field: str
) -> None:
    answer = await operator.request("POST", path(tenant), body)
    assert answer.status_code == 400, answer.text
    assert answer.json()["errors"][0]["field"] == field


async def test_a_tenants_own_key_grants_nothing(tenant: TenantClient) -> None:
    for tenant_id in (tenant.tenant_id, uuid4()):
        answer = await tenant.post(f"/v1/operator/tenants/{tenant_id}/credits", credit())
        assert (answer.status_code, answer.json()["code"]) == (401, "unauthorized")

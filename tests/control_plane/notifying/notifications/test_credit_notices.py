"""What is told of credit that the operator has posted."""

from __future__ import annotations

from uuid import UUID

import httpx2

from control_plane.platform.database import Database
from tests.control_plane.conftest import OPERATOR, TenantClient
from tests.control_plane.notifying.notifications.facts import read_facts


async def told(tenant: TenantClient, database: Database) -> dict[str, dict[str, object]]:
    await read_facts(database)
    feed = (await tenant.get("/v1/notifications?limit=200")).json()["data"]
    return {each["event_category"]: each for each in feed}


async def test_credit_that_was_paid_for_is_told_once_and_a_gift_is_not(
    tenant: TenantClient, http: httpx2.AsyncClient, database: Database
) -> None:
    path = f"/v1/operator/tenants/{tenant.tenant_id}/credits"
    for bucket, reference in (("free", "gift"), ("purchased", "wire"), ("purchased", "wire")):
        wanted = {
            "amount_usd": 50,
            "description": "x",
            "bucket": bucket,
            "reference": reference,
        }
        answer = await http.post(path, headers=OPERATOR, json=wanted)
        assert answer.status_code in (200, 201), answer.text
        if bucket == "free":
            assert "billing.topup_confirmed" not in await told(tenant, database)
    await read_facts(database)
    feed = (await tenant.get("/v1/notifications?limit=200")).json()["data"]
    [top_up] = [each for each in feed if each["event_category"] == "billing.topup_confirmed"]
    assert top_up["message"] == "$50.00 were added to your balance."
    assert UUID(top_up["metadata"]["transaction_id"])

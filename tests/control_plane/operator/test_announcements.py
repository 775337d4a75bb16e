"""What the operator tells tenants."""

from __future__ import annotations

from uuid import UUID

import httpx2
import pytest

from control_plane.platform.database import Database
from tests.control_plane.conftest import OPERATOR, TenantClient
from tests.control_plane.notifying.notifications.facts import read_facts

MAINTENANCE = {
    "title": "Maintenance on Sunday night",
    "message": "No new calls between 02:00 and 02:30 UTC.",
    "starts_at": "2026-05-03T02:00:00Z",
}


async def told(tenant: TenantClient, database: Database, category: str) -> list[dict[str, object]]:
    await read_facts(database)
    feed = (await tenant.get("/v1/notifications?limit=200")).json()["data"]
    return [each for each in feed if each["event_category"] == category]


async def test_maintenance_is_told_to_everybody_or_to_one(
    tenant: TenantClient, other_tenant: TenantClient, http: httpx2.AsyncClient, database: Database
) -> None:
    answer = await http.post("/v1/operator/announcements", headers=OPERATOR, json=MAINTENANCE)
    assert answer.status_code == 201, answer.text
    assert answer.json()["tenants"] >= 2
    for each in (tenant, other_tenant):
        [entry] = await told(each, database, "system.maintenance")
        assert entry["title"] == MAINTENANCE["title"]
        assert entry["message"] == MAINTENANCE["message"]
        assert entry["metadata"] == {"starts_at": "2026-05-03T02:00:00Z", "ends_at": None}
    answer = await http.post(
        "/v1/operator/announcements",
        headers=OPERATOR,
        json=MAINTENANCE | {"tenant_id": str(tenant.tenant_id)},
    )
    assert answer.json() == {"status": "announced", "tenants": 1}
    assert len(await told(tenant, database, "system.maintenance")) == 2
    assert len(await told(other_tenant, database, "system.maintenance")) == 1


async def test_a_ported_number_is_told_to_its_tenant(
    tenant: TenantClient, other_tenant: TenantClient, http: httpx2.AsyncClient, database: Database
) -> None:
    path = f"/v1/operator/tenants/{tenant.tenant_id}/porting-complete"
    answer = await http.post(path, headers=OPERATOR, json={"number": "+1 415 555-0100"})
    assert answer.status_code == 201, answer.text
    assert answer.json()["number"] == "+14155550100"
    [entry] = await told(tenant, database, "number.porting_complete")
    assert entry["metadata"] == {"number": "+14155550100"}
    assert await told(other_tenant, database, "number.porting_complete") == []


@pytest.mark.parametrize(
    ("path", "body"),
    [
        (f"tenants/{UUID(int=1)}/porting-complete", {"number": "+14155550100"}),
        ("announcements", MAINTENANCE | {"tenant_id": str(UUID(int=1))}),
    ],
)
async def test_an_unknown_tenant_is_404(
    http: httpx2.AsyncClient, path: str, body: dict[str, str]
) -> None:
    answer = await http.post(f"/v1/operator/{path}", headers=OPERATOR, json=body)
    assert answer.status_code == 404

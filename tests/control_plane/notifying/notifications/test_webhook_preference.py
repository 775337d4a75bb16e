from __future__ import annotations

from control_plane.notifying.notifications.webhook_preference import webhook_is_preferred
from control_plane.platform.database import Database
from tests.control_plane.conftest import TenantClient
from tests.control_plane.dashboard import dashboard_client

LOW = "billing.low_balance"


async def test_webhooks_hear_of_balances_only_if_the_tenant_says_so(
    tenant: TenantClient, other_tenant: TenantClient, database: Database
) -> None:
    async def preferred(by: TenantClient) -> bool:
        async with database.system_session() as session:
            return await webhook_is_preferred(session, by.tenant_id, LOW)

    wanted = {"event_category": LOW, "webhook_enabled": True}
    member = await dashboard_client(tenant, database, "owner")
    path = "/v1/notifications/preferences"
    assert (await member.request("PUT", f"{path}/me", json=wanted)).status_code == 200
    assert not await preferred(tenant)
    assert (await tenant.request("PUT", path, json=wanted)).status_code == 200
    assert await preferred(tenant)
    assert not await preferred(other_tenant)

from __future__ import annotations

from control_plane.notifying.notifications.categories import CATEGORIES
from control_plane.platform.database import Database
from tests.control_plane.conftest import TenantClient
from tests.control_plane.dashboard import DashboardClient, dashboard_client

PREFERENCES = "/v1/notifications/preferences"
CATEGORY = "agent.failed"


async def change(reader: TenantClient | DashboardClient, path: str, **channels: bool) -> object:
    wanted = {"event_category": CATEGORY} | channels
    answer = await reader.request("PUT", PREFERENCES + path, json=wanted)
    assert answer.status_code == 200, answer.text
    return answer.json()["data"]


def row(*, email: bool, sms: bool, in_app: bool, webhook: bool) -> dict[str, object]:
    return {
        "event_category": CATEGORY,
        "email_enabled": email,
        "sms_enabled": sms,
        "in_app_enabled": in_app,
        "webhook_enabled": webhook,
    }


async def shown(reader: TenantClient | DashboardClient, query: str = "") -> dict[str, object]:
    answer = await reader.get(PREFERENCES + query)
    assert answer.status_code == 200, answer.text
    rows = answer.json()["data"]
    return next((each for each in rows if each["event_category"] == CATEGORY), {})


async def test_every_category_has_a_row_before_anybody_has_chosen(tenant: TenantClient) -> None:
    answer = (await tenant.get(PREFERENCES)).json()
    assert answer["scope"] == "tenant"
    assert [each["event_category"] for each in answer["data"]] == list(CATEGORIES)


async def test_what_is_left_out_stays(tenant: TenantClient) -> None:
    await change(tenant, "", sms_enabled=True)
    expected = row(email=False, sms=True, in_app=True, webhook=False)
    assert await change(tenant, "", email_enabled=False) == expected
    assert await change(tenant, "") == expected
    assert await shown(tenant) == expected


async def test_scope_all_puts_the_users_own_over_the_tenants(
    tenant: TenantClient, database: Database
) -> None:
    admin = await dashboard_client(tenant, database, "admin")
    await change(tenant, "", email_enabled=False, webhook_enabled=True)
    await change(admin, "/me", in_app_enabled=False)
    assert await shown(admin) == row(email=False, sms=False, in_app=True, webhook=True)
    assert await shown(admin, "?scope=all") == row(
        email=False, sms=False, in_app=False, webhook=True
    )
    assert await shown(tenant, "?scope=all") == await shown(tenant)


async def test_my_preferences_are_those_that_i_have_set(
    tenant: TenantClient, database: Database
) -> None:
    first = await dashboard_client(tenant, database, "member")
    second = await dashboard_client(tenant, database, "member")
    await change(first, "/me", email_enabled=True)
    mine = (await first.get(f"{PREFERENCES}/me")).json()
    assert mine["scope"] == "user"
    assert mine["data"] == [row(email=True, sms=False, in_app=True, webhook=False)]
    assert (await second.get(f"{PREFERENCES}/me")).json()["data"] == []


async def test_keys_have_no_preferences_of_their_own(tenant: TenantClient) -> None:
    assert (await tenant.get(f"{PREFERENCES}/me")).status_code == 403

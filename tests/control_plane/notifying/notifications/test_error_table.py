"""The refusals of the API's error table for notifications."""

from __future__ import annotations

import httpx2
import pytest

from control_plane.notifying.notifications.categories import CATEGORIES
from control_plane.platform.database import Database
from tests.control_plane.conftest import TenantClient
from tests.control_plane.dashboard import dashboard_client

PREFERENCES = "/v1/notifications/preferences"
ROUTES = [
    ("GET", ""),
    ("PUT", "/read-all"),
    ("PUT", "/00000000-0000-0000-0000-000000000000/read"),
    ("DELETE", "/00000000-0000-0000-0000-000000000000"),
    ("DELETE", "/read"),
    ("GET", "/deliveries"),
    ("GET", "/status"),
    ("GET", "/preferences"),
    ("PUT", "/preferences"),
    ("GET", "/preferences/me"),
    ("PUT", "/preferences/me"),
    ("POST", "/test"),
]


@pytest.mark.parametrize(("method", "path"), ROUTES)
async def test_a_bad_key_is_401(http: httpx2.AsyncClient, method: str, path: str) -> None:
    wrong = {"Authorization": "Bearer sb_secret_wrong"}
    answer = await http.request(method, f"/v1/notifications{path}", headers=wrong)
    assert answer.status_code == 401


async def test_preferences_without_a_category_are_400(tenant: TenantClient) -> None:
    answer = await tenant.request("PUT", PREFERENCES, json={"email_enabled": True})
    assert answer.status_code == 400
    assert answer.json()["errors"] == [{"field": "event_category", "message": "is required"}]


async def test_an_unknown_category_is_400_and_lists_those_that_there_are(
    tenant: TenantClient,
) -> None:
    answer = await tenant.request("PUT", PREFERENCES, json={"event_category": "agent.happy"})
    assert answer.status_code == 400
    assert all(name in answer.text for name in CATEGORIES)


async def test_members_do_not_change_the_tenants_preferences_but_their_own(
    tenant: TenantClient, database: Database
) -> None:
    wanted = {"event_category": "agent.failed", "email_enabled": True}
    member = await dashboard_client(tenant, database, "member")
    assert (await member.request("PUT", PREFERENCES, json=wanted)).status_code == 403
    assert (await member.request("PUT", f"{PREFERENCES}/me", json=wanted)).status_code == 200
    for role in ("owner", "admin"):
        admin = await dashboard_client(tenant, database, role)
        assert (await admin.request("PUT", PREFERENCES, json=wanted)).status_code == 200
    assert (await tenant.request("PUT", PREFERENCES, json=wanted)).status_code == 200


async def test_a_test_works_without_a_mail_server(tenant: TenantClient) -> None:
    assert (await tenant.post("/v1/notifications/test")).status_code == 200

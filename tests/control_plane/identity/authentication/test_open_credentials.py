"""Whether what a request was authenticated with would be accepted now, too."""

from __future__ import annotations

from uuid import UUID, uuid4

from fastapi import FastAPI

from control_plane.identity.accounts.sessions.authentication import SESSION_COOKIE
from control_plane.identity.authentication.open_credentials import (
    key_credential,
    session_credential,
    still_open,
)
from control_plane.platform.database import Database
from tests.control_plane.conftest import TenantClient
from tests.control_plane.identity.accounts.browsing import a_browser


async def test_a_key_counts_until_it_is_revoked(tenant: TenantClient, database: Database) -> None:
    made = (await tenant.post("/v1/api-keys", {"name": "Second", "kind": "secret"})).json()
    first = key_credential(tenant.key, tenant.tenant_id)
    second = key_credential(made["key"], tenant.tenant_id)
    assert await still_open(database, [first, second]) == {first, second}
    await tenant.request("DELETE", f"/v1/api-keys/{made['id']}")
    assert await still_open(database, [first, second]) == {first}


async def test_a_key_that_was_replaced_at_once_does_not_count(
    tenant: TenantClient, database: Database
) -> None:
    made = (await tenant.post("/v1/api-keys", {"name": "Second", "kind": "secret"})).json()
    old = key_credential(made["key"], tenant.tenant_id)
    path = f"/v1/api-keys/{made['id']}/rotate"
    rotated = await tenant.post(path, {"overlap_seconds": 600})
    assert rotated.status_code == 200, rotated.text
    new = key_credential(rotated.json()["key"], tenant.tenant_id)
    assert await still_open(database, [old, new]) == {old, new}
    await tenant.post(path, {"overlap_seconds": 0})
    assert await still_open(database, [old, new]) == set()


async def test_an_unknown_key_and_a_foreign_tenant_do_not_count(
    tenant: TenantClient, database: Database
) -> None:
    unknown = key_credential("sb_secret_unknown", tenant.tenant_id)
    foreign = key_credential(tenant.key, uuid4())
    assert await still_open(database, [unknown, foreign]) == set()


async def test_a_session_counts_until_its_logout(app: FastAPI, database: Database) -> None:
    async with a_browser(app) as browser:
        await browser.sign_up()
        tenant_id = UUID((await browser.me())["tenant"]["id"])
        token = browser.http.cookies[SESSION_COOKIE]
        credential = session_credential(token, tenant_id)
        assert await still_open(database, [credential]) == {credential}
        left = await browser.post("/v1/auth/logout")
        assert left.status_code == 200, left.text
    assert await still_open(database, [credential]) == set()

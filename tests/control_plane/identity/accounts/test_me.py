"""``/v1/me``: who one is, one's sessions, and going on in another tenant."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from email.message import EmailMessage
from uuid import UUID

import httpx2
import pytest
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.identity.accounts import me_routes
from control_plane.identity.accounts.me import me_of_user
from control_plane.identity.accounts.schemas import Me
from control_plane.identity.members import repository as members
from control_plane.platform.audit.models import AuditEntry
from control_plane.platform.database import Database
from tests.control_plane.conftest import OPERATOR, TenantClient
from tests.control_plane.dashboard import dashboard_client
from tests.control_plane.identity.accounts.browsing import Browser
from tests.control_plane.lock_waits import until_somebody_waits

Outbox = Callable[[], list[EmailMessage]]


async def test_a_secret_key_is_its_tenant(tenant: TenantClient) -> None:
    me = (await tenant.get("/v1/me")).json()
    assert (me["actor"], me["user"], me["role"], me["csrf_token"]) == (
        "secret_key",
        None,
        None,
        None,
    )
    assert me["tenant"]["id"] == str(tenant.tenant_id)
    assert me["tenants"] == []
    assert me["api_key"]["name"] == "First key"


async def test_a_publishable_key_is_nobody(tenant: TenantClient) -> None:
    answer = await tenant.http.get("/v1/me", headers=await tenant.publishable_key())
    assert (answer.status_code, answer.json()["code"]) == (403, "secret_key_required")


async def test_a_key_is_used_from_any_page(tenant: TenantClient) -> None:
    headers = tenant.headers | {"Origin": "https://shop.example"}
    answer = await tenant.http.get("/v1/me", headers=headers)
    assert answer.status_code == 200
    assert answer.json()["tenant"]["id"] == str(tenant.tenant_id)
    assert answer.headers["access-control-allow-origin"] == "*"


async def test_me_gives_the_csrf_token_that_works(browser: Browser, outbox: Outbox) -> None:
    await browser.open_account(outbox)
    browser.headers.clear()
    assert (await browser.post("/v1/agents", {"name": "x"})).status_code == 403
    assert (await browser.me())["csrf_token"]
    assert (await browser.post("/v1/agents", {"name": "x"})).status_code == 201


async def test_one_changes_ones_name_and_clears_it(browser: Browser) -> None:
    await browser.sign_up(name="Mia")
    changed = await browser.request("PATCH", "/v1/me", {"name": " Mia Meyer "})
    assert (changed.status_code, changed.json()["user"]["name"]) == (200, "Mia Meyer")
    await browser.request("PATCH", "/v1/me", {"name": None})
    assert (await browser.me())["user"]["name"] is None


@pytest.mark.parametrize("body", [{}, {"name": ""}, {"name": "x" * 101}, {"email": "x@y.zz"}])
async def test_a_wrong_name_is_400(browser: Browser, body: dict[str, str]) -> None:
    await browser.sign_up()
    assert (await browser.request("PATCH", "/v1/me", body)).status_code == 400


async def test_one_sees_and_ends_ones_sessions(browser: Browser, other_browser: Browser) -> None:
    await browser.sign_up()
    await other_browser.log_in()

    listed = (await browser.get("/v1/me/sessions")).json()["sessions"]
    assert [session["is_current"] for session in listed] == [False, True]
    assert [session["address"] for session in listed] == ["203.0.113.9", "198.51.100.7"]
    assert {session["user_agent"] for session in listed} == {"Browser/1.0"}
    assert not {"token_hash", "token"} & set(listed[0])

    ended = await browser.request("DELETE", f"/v1/me/sessions/{listed[0]['id']}")
    assert ended.json() == {"status": "revoked", "count": 1}
    assert (await other_browser.get("/v1/me")).status_code == 401
    again = await browser.request("DELETE", f"/v1/me/sessions/{listed[0]['id']}")
    assert (again.status_code, again.json()["code"]) == (404, "session_not_found")


async def test_ending_ones_own_session_takes_the_cookie(browser: Browser) -> None:
    await browser.sign_up()
    [own] = (await browser.get("/v1/me/sessions")).json()["sessions"]
    assert (await browser.request("DELETE", f"/v1/me/sessions/{own['id']}")).status_code == 200
    assert "switchboard_session" not in browser.http.cookies


async def test_one_logs_out_everywhere_else(browser: Browser, other_browser: Browser) -> None:
    await browser.sign_up()
    await other_browser.log_in()
    assert (await browser.request("DELETE", "/v1/me/sessions")).json()["count"] == 1
    assert (await other_browser.get("/v1/me")).status_code == 401
    assert (await browser.get("/v1/me")).status_code == 200


async def test_nobody_ends_somebody_elses_session(tenant: TenantClient, database: Database) -> None:
    """Not the same tenant's owner either: a session belongs to a person."""
    owner = await dashboard_client(tenant, database, "owner")
    member = await dashboard_client(tenant, database, "member")
    [session] = (await member.get("/v1/me/sessions")).json()["sessions"]
    assert (await owner.delete(f"/v1/me/sessions/{session['id']}")).status_code == 404
    assert (await member.get("/v1/me")).status_code == 200


async def test_one_goes_on_in_another_tenant_of_ones_own(
    browser: Browser, database: Database, outbox: Outbox
) -> None:
    first = (await browser.open_account(outbox))["tenant"]
    second = (await browser.sign_up(tenant_name="Second")).json()["tenant"]
    # The welcome credit is the first tenant's.
    granted = await browser.http.post(
        f"/v1/operator/tenants/{second['id']}/credits",
        headers=OPERATOR,
        json={"amount_usd": 1, "description": "For the second"},
    )
    assert granted.status_code == 201
    await browser.post("/v1/agents", {"name": "Of the second"})

    moved = await browser.post("/v1/auth/switch-tenant", {"tenant_id": first["id"]})

    assert moved.status_code == 200
    assert moved.json()["tenant"] == first
    assert (await browser.get("/v1/agents")).json()["total"] == 0
    assert (await browser.post("/v1/agents", {"name": "Of the first"})).status_code == 201
    await browser.post("/v1/auth/switch-tenant", {"tenant_id": second["id"]})
    listed = (await browser.get("/v1/agents")).json()["agents"]
    assert [agent["name"] for agent in listed] == ["Of the second"]
    async with database.system_session() as session:
        found = await session.scalars(
            select(AuditEntry.tenant_id).where(AuditEntry.action == "user.switched_tenant")
        )
        assert [str(tenant_id) for tenant_id in found] == [first["id"], second["id"]]


async def test_a_page_that_still_shows_another_tenant_changes_nothing(
    browser: Browser, outbox: Outbox
) -> None:
    """Two tabs share the session, and one of them has switched it."""
    first = (await browser.open_account(outbox))["tenant"]
    await browser.sign_up(tenant_name="Second")
    other_tab = Browser(browser.http, dict(browser.headers))
    await browser.post("/v1/auth/switch-tenant", {"tenant_id": first["id"]})
    answer = await other_tab.post("/v1/agents", {"name": "Of the second"})
    assert (answer.status_code, answer.json()["code"]) == (403, "csrf_token_required")
    assert (await browser.get("/v1/agents")).json()["total"] == 0
    assert (await browser.post("/v1/agents", {"name": "Of the first"})).status_code == 201


async def test_one_does_not_go_on_in_a_foreign_tenant(
    browser: Browser, tenant: TenantClient
) -> None:
    own = (await browser.sign_up()).json()["tenant"]
    answer = await browser.post("/v1/auth/switch-tenant", {"tenant_id": str(tenant.tenant_id)})
    assert (answer.status_code, answer.json()["code"]) == (403, "no_membership")
    assert (await browser.me())["tenant"] == own


async def test_one_does_not_go_on_in_a_tenant_while_the_membership_ends(
    browser: Browser, database: Database
) -> None:
    first = (await browser.sign_up()).json()
    await browser.sign_up(tenant_name="Second")
    async with database.system_session() as session:
        await members.remove(session, UUID(first["tenant"]["id"]), UUID(first["user"]["id"]))
        wanted = {"tenant_id": first["tenant"]["id"]}
        switch = asyncio.create_task(browser.post("/v1/auth/switch-tenant", wanted))
        await until_somebody_waits(database)
    answer = await switch
    assert (answer.status_code, answer.json()["code"]) == (403, "no_membership")


async def test_a_session_whose_membership_ends_meanwhile_is_over(
    browser: Browser, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    await browser.sign_up()

    async def too_late(
        session: AsyncSession, user_id: UUID, tenant_id: UUID, *, csrf_token: str
    ) -> Me:
        async with database.system_session() as other:
            await members.remove(other, tenant_id, user_id)
        return await me_of_user(session, user_id, tenant_id, csrf_token=csrf_token)

    monkeypatch.setattr(me_routes, "me_of_user", too_late)
    for _ in range(2):
        answer = await browser.get("/v1/me")
        assert (answer.status_code, answer.json()["code"]) == (401, "unauthorized")


async def test_the_documented_answers_of_login_and_me_have_examples(
    http: httpx2.AsyncClient,
) -> None:
    schemas = (await http.get("/openapi.json")).json()["components"]["schemas"]
    for name in ("SignUp", "Login", "Me", "SessionView", "MemberView", "InvitationView"):
        assert "example" in schemas[name], name

"""A dashboard session is a caller: revocable, confined to its tenant, and safe from other sites."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import uuid4

import httpx2
import pytest
from sqlalchemy import select, text, update

from control_plane.identity.accounts.models import DashboardSession
from control_plane.identity.accounts.sessions.authentication import CSRF_HEADER
from control_plane.identity.accounts.tokens import csrf_token_of, hash_of
from control_plane.platform.database import Database
from control_plane.platform.tenancy.caller import Role
from tests.control_plane.conftest import TenantClient
from tests.control_plane.dashboard import DashboardClient, dashboard_client


@pytest.fixture
async def owner(tenant: TenantClient, database: Database) -> DashboardClient:
    return await dashboard_client(tenant, database, "owner")


async def _set(database: Database, owner: DashboardClient, **values: object) -> None:
    async with database.system_session() as session:
        await session.execute(
            update(DashboardSession)
            .where(DashboardSession.token_hash == hash_of(owner.token))
            .values(**values)
        )


@pytest.mark.parametrize("role", ["owner", "admin", "member"])
async def test_a_session_reads_and_writes_its_own_tenant(
    tenant: TenantClient, other_tenant: TenantClient, database: Database, role: Role
) -> None:
    person = await dashboard_client(tenant, database, role)
    foreign = await other_tenant.agent()

    made = await person.post("/v1/agents", {"name": "Made in the dashboard"})

    assert made.status_code == 201
    assert (await person.get("/v1/agents")).json()["total"] == 1
    assert (await person.get(f"/v1/agents/{foreign}")).status_code == 404


async def test_a_member_is_no_admin(tenant: TenantClient, database: Database) -> None:
    member = await dashboard_client(tenant, database, "member")
    answer = await member.get("/v1/api-keys")
    assert (answer.status_code, answer.json()["code"]) == (403, "role_required")


@pytest.mark.parametrize("token", ["", "x", "é", "a" * 5000, "A" * 43])
async def test_an_unknown_session_is_401(http: httpx2.AsyncClient, token: str) -> None:
    answer = await http.get(
        "/v1/agents", headers=[(b"cookie", b"switchboard_session=" + token.encode())]
    )
    assert (answer.status_code, answer.json()["code"]) == (401, "unauthorized")


async def test_a_session_ends_at_its_time(owner: DashboardClient, database: Database) -> None:
    assert (await owner.get("/v1/agents")).status_code == 200
    await _set(database, owner, expires_at=datetime.now(UTC))
    answer = await owner.get("/v1/agents")
    assert (answer.status_code, answer.json()["code"]) == (401, "unauthorized")


async def test_use_prolongs_a_session(owner: DashboardClient, database: Database) -> None:
    an_hour_ago = datetime.now(UTC) - timedelta(hours=1)
    soon = datetime.now(UTC) + timedelta(seconds=30)
    await _set(database, owner, last_used_at=an_hour_ago, expires_at=soon)

    assert (await owner.get("/v1/agents")).status_code == 200

    async with database.system_session() as session:
        stored = (await session.scalars(select(DashboardSession))).one()
    assert stored.last_used_at > an_hour_ago
    assert stored.expires_at > soon


async def test_the_token_is_stored_as_a_hash(owner: DashboardClient, database: Database) -> None:
    async with database.system_session() as session:
        rows = "\n".join(await session.scalars(text("SELECT s::text FROM dashboard_sessions s")))
    assert owner.token not in rows
    assert hash_of(owner.token).hex() in rows


@pytest.mark.parametrize("of", ["nobody", "another session", "another tenant"])
async def test_a_change_needs_the_csrf_token_of_the_session_and_its_tenant(
    owner: DashboardClient, of: str
) -> None:
    await _changes_nothing(
        owner,
        {
            "nobody": None,
            "another session": csrf_token_of("another session", owner.tenant_id),
            "another tenant": csrf_token_of(owner.token, uuid4()),
        }[of],
    )


@pytest.mark.parametrize("sent", ["", "wrong"])
async def test_a_change_needs_a_csrf_token(owner: DashboardClient, sent: str) -> None:
    await _changes_nothing(owner, sent)


async def _changes_nothing(owner: DashboardClient, sent: str | None) -> None:
    headers = {"Cookie": owner.headers["Cookie"]} | ({} if sent is None else {CSRF_HEADER: sent})
    answer = await owner.http.post("/v1/agents", headers=headers, json={"name": "x"})
    assert (answer.status_code, answer.json()["code"]) == (403, "csrf_token_required")
    read = await owner.http.get("/v1/agents", headers=headers)
    assert (read.status_code, read.json()["total"]) == (200, 0)


@pytest.mark.parametrize(
    ("page", "status"),
    [
        ("http://switchboard.test", 201),
        ("HTTP://Switchboard.test:80", 201),
        ("https://switchboard.test", 403),
        ("http://switchboard.test:8080", 403),
        ("http://evil.test", 403),
        ("http://switchboard.test.evil.test", 403),
        ("http://evil.switchboard.test", 403),
        ("http://switchboard.test:x", 403),
        ("http://[", 403),
        ("null", 403),
        ("", 403),
    ],
)
async def test_pages_of_other_sites_cannot_use_a_session(
    owner: DashboardClient, page: str, status: int
) -> None:
    answer = await owner.http.post(
        "/v1/agents", headers=owner.headers | {"Origin": page}, json={"name": "x"}
    )
    assert answer.status_code == status
    if status == 403:
        assert answer.json()["code"] == "foreign_origin"


async def test_with_a_key_too_the_key_counts(
    owner: DashboardClient, other_tenant: TenantClient
) -> None:
    foreign = await other_tenant.agent()
    answer = await owner.http.get(
        f"/v1/agents/{foreign}", headers=owner.headers | other_tenant.headers
    )
    assert answer.status_code == 200


async def test_a_changed_role_counts_at_once_and_a_removed_member_is_out(
    owner: DashboardClient, database: Database
) -> None:
    assert (await owner.get("/v1/api-keys")).status_code == 200
    async with database.tenant_session(owner.tenant_id) as session:
        await session.execute(
            text("UPDATE memberships SET role = 'member' WHERE user_id = :id"),
            {"id": owner.user_id},
        )
    assert (await owner.get("/v1/api-keys")).status_code == 403
    async with database.tenant_session(owner.tenant_id) as session:
        await session.execute(
            text("DELETE FROM memberships WHERE user_id = :id"), {"id": owner.user_id}
        )
    assert (await owner.get("/v1/agents")).status_code == 401
    async with database.system_session() as session:
        assert (await session.scalars(select(DashboardSession))).all() == []

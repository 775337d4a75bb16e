"""API keys: shown once, stored as a hash, confined, revoked."""

from __future__ import annotations

import base64
from uuid import uuid4

import pytest
from sqlalchemy import func, select, text

from control_plane.identity.api_keys import secrets
from control_plane.identity.api_keys.models import ApiKey
from control_plane.identity.authentication.service import caller_of_key
from control_plane.platform.database import Database
from control_plane.platform.errors import Unauthorized
from control_plane.platform.tenancy.caller import PublishableScope, RequestOrigin
from tests.control_plane.conftest import TenantClient


@pytest.mark.parametrize("kind", ["secret", "publishable"])
def test_a_key_has_256_random_bits(kind: secrets.KeyKind) -> None:
    keys = {secrets.new_key(kind).key for _ in range(100)}
    assert len(keys) == 100
    for key in keys:
        assert secrets.is_well_formed(key)
        assert len(base64.urlsafe_b64decode(key.removeprefix(f"sb_{kind}_") + "=")) == 32


@pytest.mark.parametrize("kind", ["secret", "publishable"])
async def test_a_key_is_shown_once_and_stored_as_a_hash(
    tenant: TenantClient, database: Database, kind: str
) -> None:
    made = (await tenant.post("/v1/api-keys", {"name": "Shop", "kind": kind})).json()
    key = made["key"]

    listed = (await tenant.get("/v1/api-keys")).text
    async with database.system_session() as session:
        rows = await session.scalars(
            text("SELECT k::text FROM api_keys k UNION SELECT s::text FROM api_key_secrets s")
        )
        stored = "\n".join(rows)

    assert key.startswith(f"sb_{kind}_")
    assert made["id"] in listed
    assert key not in listed
    assert key not in stored
    assert secrets.hash_of(key).hex() in stored


async def test_a_made_key_works_for_its_own_tenant(
    tenant: TenantClient, other_tenant: TenantClient, database: Database
) -> None:
    made = (await tenant.post("/v1/api-keys", {"name": "Shop", "kind": "secret"})).json()
    caller = await caller_of_key(database, made["key"], RequestOrigin())
    assert (caller.tenant_id, caller.actor.kind) == (tenant.tenant_id, "secret_key")


async def test_a_revoked_key_stops_at_once_and_stays_in_the_list(tenant: TenantClient) -> None:
    made = (await tenant.post("/v1/api-keys", {"name": "Old", "kind": "secret"})).json()
    old = {"Authorization": f"Bearer {made['key']}"}
    assert (await tenant.http.get("/v1/agents", headers=old)).status_code == 200

    for _ in range(2):
        answer = await tenant.request("DELETE", f"/v1/api-keys/{made['id']}")
        assert answer.json() == {"status": "revoked", "id": made["id"]}

    assert (await tenant.http.get("/v1/agents", headers=old)).status_code == 401
    listed = {row["id"]: row for row in (await tenant.get("/v1/api-keys")).json()["api_keys"]}
    assert listed[made["id"]]["revoked_at"] is not None


async def test_a_publishable_key_starts_web_calls_to_any_agent_unless_told(
    tenant: TenantClient, database: Database
) -> None:
    agent_id = await tenant.agent()
    plain = await tenant.publishable_key()
    confined = await tenant.publishable_key(
        allowed_channels=["phone"],
        allowed_agent_ids=[str(agent_id)],
        phone_agent_id=str(agent_id),
    )

    any_agent = await caller_of_key(
        database, plain["Authorization"].removeprefix("Bearer "), RequestOrigin()
    )
    one_agent = await caller_of_key(
        database, confined["Authorization"].removeprefix("Bearer "), RequestOrigin()
    )

    assert any_agent.publishable == PublishableScope(frozenset({"web"}))
    assert one_agent.publishable == PublishableScope(
        frozenset({"phone"}), frozenset({agent_id}), agent_id, phone_calls_per_day=100
    )


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "name"),
        ({"name": "x"}, "kind"),
        ({"name": " ", "kind": "secret"}, "name"),
        ({"name": "x", "kind": "root"}, "kind"),
        ({"name": "x", "kind": "secret", "allowed_channels": ["web"]}, "allowed_channels"),
        ({"name": "x", "kind": "publishable", "allowed_channels": ["phone"]}, "phone_agent_id"),
        ({"name": "x", "kind": "publishable", "phone_agent_id": str(uuid4())}, "phone_agent_id"),
        (
            {"name": "x", "kind": "publishable", "allowed_origins": ["https://a.example/shop"]},
            "allowed_origins[0]",
        ),
        ({"name": "x", "kind": "publishable", "allowed_origins": []}, "allowed_origins"),
        ({"name": "x", "kind": "publishable", "allowed_channels": []}, "allowed_channels"),
        ({"name": "x", "kind": "publishable", "allowed_channels": ["fax"]}, "allowed_channels[0]"),
        (
            {"name": "x", "kind": "publishable", "allowed_agent_ids": [str(uuid4())]},
            "allowed_agent_ids",
        ),
        ({"name": "x", "kind": "publishable", "allowed_agent_ids": ["1"]}, "allowed_agent_ids[0]"),
    ],
)
async def test_a_wrong_key_request_is_400(
    tenant: TenantClient, body: dict[str, object], field: str
) -> None:
    answer = await tenant.post("/v1/api-keys", body)
    assert answer.status_code == 400
    assert answer.json()["errors"][0]["field"] == field


async def test_the_use_of_a_key_is_noted_once_a_minute(
    tenant: TenantClient, database: Database
) -> None:
    async def last_used_at() -> object:
        async with database.system_session() as session:
            return await session.scalar(select(func.max(ApiKey.last_used_at)))

    assert await last_used_at() is None
    await tenant.get("/v1/agents")
    first = await last_used_at()
    await tenant.get("/v1/agents")
    assert first is not None
    assert await last_used_at() == first


async def test_an_unknown_key_is_refused(database: Database) -> None:
    with pytest.raises(Unauthorized):
        await caller_of_key(database, secrets.new_key("secret").key, RequestOrigin())

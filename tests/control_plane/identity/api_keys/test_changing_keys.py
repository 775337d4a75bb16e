"""Renaming a key and changing what a publishable key may do; what is noted of every change."""

from __future__ import annotations

import asyncio
from typing import Any
from uuid import uuid4

import pytest
from sqlalchemy import select

from control_plane.platform.audit.models import AuditEntry
from control_plane.platform.database import Database
from control_plane.platform.outbox.models import OutboxEvent
from tests.control_plane.conftest import TenantClient
from tests.control_plane.dashboard import dashboard_client


async def made(tenant: TenantClient, kind: str = "publishable", **fields: Any) -> dict[str, Any]:
    answer = await tenant.post("/v1/api-keys", {"name": "Shop", "kind": kind} | fields)
    assert answer.status_code == 201, answer.text
    key: dict[str, Any] = answer.json()
    return key


async def changed(tenant: TenantClient, key: dict[str, Any], /, **fields: Any) -> tuple[int, Any]:
    answer = await tenant.request("PATCH", f"/v1/api-keys/{key['id']}", json=fields)
    return answer.status_code, answer.json()


@pytest.mark.parametrize("kind", ["secret", "publishable"])
async def test_a_key_is_renamed(tenant: TenantClient, kind: str) -> None:
    key = await made(tenant, kind)
    status, shown = await changed(tenant, key, name=" Till ")
    assert (status, shown["name"]) == (200, "Till")
    assert "key" not in shown
    assert (await tenant.get(f"/v1/api-keys/{key['id']}")).json() == shown


async def test_what_is_not_sent_stays_and_null_lifts_a_limit(tenant: TenantClient) -> None:
    agent_id = str(await tenant.agent())
    key = await made(
        tenant,
        allowed_channels=["web", "phone"],
        allowed_origins=["https://shop.example:443/", "https://SHOP.example"],
        allowed_agent_ids=[agent_id],
        phone_agent_id=agent_id,
    )
    scope = {
        "allowed_channels": ["phone", "web"],
        "allowed_origins": ["https://shop.example"],
        "allowed_agent_ids": [agent_id],
        "phone_agent_id": agent_id,
    }
    assert {field: key[field] for field in scope} == scope

    for change in (
        {"allowed_origins": None},
        {"allowed_agent_ids": None},
        {"allowed_channels": ["web"], "phone_agent_id": None},
        {"allowed_origins": ["https://other.example"]},
    ):
        scope |= change
        status, shown = await changed(tenant, key, **change)
        assert (status, {field: shown[field] for field in scope}) == (200, scope)


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({}, "body"),
        ({"name": ""}, "name"),
        ({"name": None}, "name"),
        ({"allowed_channels": None}, "allowed_channels"),
        ({"allowed_channels": []}, "allowed_channels"),
        ({"allowed_channels": ["phone"]}, "phone_agent_id"),
        ({"phone_agent_id": str(uuid4())}, "phone_agent_id"),
        ({"allowed_agent_ids": [str(uuid4())]}, "allowed_agent_ids"),
        ({"allowed_origins": ["*"]}, "allowed_origins[0]"),
        ({"allowed_origins": [f"https://{n}.example" for n in range(101)]}, "allowed_origins"),
        ({"kind": "secret"}, "kind"),
        ({"key": "sb_secret_mine"}, "key"),
    ],
)
async def test_a_wrong_change_is_400_and_changes_nothing(
    tenant: TenantClient, fields: dict[str, Any], field: str
) -> None:
    key = await made(tenant)
    status, problem = await changed(tenant, key, **fields)
    assert (status, problem["errors"][0]["field"]) == (400, field)
    shown = (await tenant.get(f"/v1/api-keys/{key['id']}")).json()
    assert shown["name"] == "Shop"
    assert shown["allowed_channels"] == ["web"]


async def test_a_channel_cannot_be_taken_from_the_agent_that_serves_it(
    tenant: TenantClient,
) -> None:
    agent_id = str(await tenant.agent())
    key = await made(tenant, allowed_channels=["phone"], phone_agent_id=agent_id)
    for fields in ({"allowed_channels": ["web"]}, {"phone_agent_id": None}):
        status, problem = await changed(tenant, key, **fields)
        assert (status, problem["errors"][0]["field"]) == (400, "phone_agent_id")


async def test_an_agent_of_another_tenant_is_none(
    tenant: TenantClient, other_tenant: TenantClient
) -> None:
    foreign = str(await other_tenant.agent())
    key = await made(tenant)
    for fields in (
        {"allowed_agent_ids": [foreign]},
        {"allowed_channels": ["phone"], "phone_agent_id": foreign},
    ):
        status, problem = await changed(tenant, key, **fields)
        assert (status, problem["errors"][0]["message"]) == (400, f"you have no agent {foreign}")


async def test_a_secret_key_has_no_scope(tenant: TenantClient) -> None:
    key = await made(tenant, "secret")
    status, problem = await changed(tenant, key, allowed_origins=["https://shop.example"])
    assert (status, problem["errors"][0]["field"]) == (400, "allowed_origins")


async def test_there_must_be_a_key_to_change(tenant: TenantClient) -> None:
    nowhere = {"id": uuid4()}
    assert (await changed(tenant, nowhere, name="x"))[0] == 404
    assert (await tenant.get(f"/v1/api-keys/{nowhere['id']}")).status_code == 404
    assert (await tenant.request("DELETE", f"/v1/api-keys/{nowhere['id']}")).status_code == 404
    key = await made(tenant)
    await tenant.request("DELETE", f"/v1/api-keys/{key['id']}")
    status, problem = await changed(tenant, key, name="x")
    assert (status, problem["code"]) == (409, "api_key_revoked")


async def test_changes_at_the_same_time_do_not_undo_each_other(tenant: TenantClient) -> None:
    key = await made(tenant)
    await asyncio.gather(
        changed(tenant, key, name="Till"),
        changed(tenant, key, allowed_origins=["https://shop.example"]),
    )
    shown = (await tenant.get(f"/v1/api-keys/{key['id']}")).json()
    assert (shown["name"], shown["allowed_origins"]) == ("Till", ["https://shop.example"])


async def test_admins_manage_keys_and_members_do_not(
    tenant: TenantClient, database: Database
) -> None:
    wanted = {"name": "Mine", "kind": "secret"}
    admin = await dashboard_client(tenant, database, "admin")
    member = await dashboard_client(tenant, database, "member")
    assert (await admin.post("/v1/api-keys", wanted)).status_code == 201
    answer = await member.post("/v1/api-keys", wanted)
    assert (answer.status_code, answer.json()["code"]) == (403, "role_required")


async def test_every_change_is_in_the_audit_log_without_a_secret(
    tenant: TenantClient, database: Database
) -> None:
    key = await made(tenant)
    await changed(tenant, key, name="Till", allowed_origins=["https://shop.example"])
    new = await tenant.post(f"/v1/api-keys/{key['id']}/rotate", {"overlap_seconds": 60})
    for _ in range(2):
        await tenant.request("DELETE", f"/v1/api-keys/{key['id']}")
    async with database.system_session() as session:
        entries = (
            await session.scalars(
                select(AuditEntry).where(AuditEntry.target_id == key["id"]).order_by(AuditEntry.id)
            )
        ).all()
    assert [(entry.action, entry.changes) for entry in entries] == [
        ("api_key.created", {"name": "Shop", "kind": "publishable"}),
        (
            "api_key.updated",
            {"name": ["Shop", "Till"], "allowed_origins": [None, ["https://shop.example"]]},
        ),
        ("api_key.rotated", {"overlap_seconds": 60}),
        ("api_key.revoked", {"name": "Till"}),
    ]
    assert {entry.actor_label for entry in entries} == {"First key"}
    assert new.json()["key"] not in str([entry.changes for entry in entries])


async def test_events_tell_of_secret_keys_made_and_of_any_key_revoked(
    tenant: TenantClient, database: Database
) -> None:
    async with database.system_session() as session:
        [welcome] = await session.scalars(select(OutboxEvent.event).where(_of_keys()))
    assert welcome == "system.api_key_created"

    secret, publishable = await made(tenant, "secret"), await made(tenant)
    for key in (secret, publishable):
        await tenant.post(f"/v1/api-keys/{key['id']}/rotate")
        await tenant.request("DELETE", f"/v1/api-keys/{key['id']}")
    async with database.system_session() as session:
        events = await session.scalars(
            select(OutboxEvent).where(_of_keys()).order_by(OutboxEvent.occurred_at)
        )
        told = [
            (
                event.event,
                event.data["metadata"]["api_key_id"],
                event.data["metadata"].get("reason"),
            )
            for event in events
        ]
    assert told[1:] == [
        ("system.api_key_created", secret["id"], "created"),
        ("system.api_key_created", secret["id"], "rotated"),
        ("system.api_key_revoked", secret["id"], None),
        ("system.api_key_revoked", publishable["id"], None),
    ]


def _of_keys() -> Any:
    return OutboxEvent.event.like("system.api_key_%")

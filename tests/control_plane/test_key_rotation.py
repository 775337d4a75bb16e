"""Changing the encryption key, with secrets in every column that holds some."""

from __future__ import annotations

from uuid import UUID

import pytest
from cryptography.fernet import Fernet
from sqlalchemy import func, select, text, update
from sqlalchemy.exc import DBAPIError

from contracts.call_plan import CallPlan
from contracts.sealing import CannotOpen, Sealer
from contracts.tool_bindings import CallWebhook, SealedText
from control_plane import key_rotation
from control_plane.building.agents.models import Agent, AgentVersion
from control_plane.building.agents.publishing.snapshot import digest_of
from control_plane.building.provider_keys.models import ProviderKey
from control_plane.calling.calls.models import Call
from control_plane.key_rotation import rotate
from control_plane.platform.database import Database
from control_plane.platform.settings import ControlPlaneSettings
from control_plane.sealed_columns import SEALED_COLUMNS, agent_config
from tests.control_plane.building.provider_keys.test_own_keys_in_plans import (
    MINE,
    bring_keys,
    create_call,
)
from tests.control_plane.conftest import TenantClient
from tests.control_plane.handoffs import handoff

NEW_KEY = Fernet.generate_key().decode()
TOOL = {
    "type": "call_webhook",
    "name": "book",
    "description": "Books an appointment.",
    "url": "https://example.com/book",
    "headers": {"Authorization": "Bearer hush-hush-hush"},
}


@pytest.fixture
async def with_secrets(tenant: TenantClient) -> TenantClient:
    for provider in ("openai", "deepgram", "cartesia"):
        path = f"/v1/provider-keys/{provider}"
        body = {"key": f"a-key-for-{provider}", "verify": False}
        assert (await tenant.request("PUT", path, json=body)).status_code == 200
    await tenant.published_agent(tools=[TOOL])
    answered = await tenant.http.post(
        "/v1/api-keys",
        headers=tenant.headers | {"Idempotency-Key": "once"},
        json={"name": "Key", "kind": "secret"},
    )
    assert answered.status_code == 201
    return tenant


async def secrets_of(tenant: TenantClient, database: Database) -> list[str]:
    """Every sealed text of the tenant, of each column in turn."""
    found: list[str] = []

    def note(sealed: str) -> str:
        found.append(sealed)
        return sealed

    async with database.tenant_session(tenant.tenant_id) as session:
        for column in SEALED_COLUMNS:
            for value in await session.scalars(select(column.column)):
                column.reseal_all(value, note)
    return found


async def test_every_secret_is_opened_by_the_new_key_alone_afterwards(
    with_secrets: TenantClient,
    database: Database,
    settings: ControlPlaneSettings,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(key_rotation, "BATCH_ROWS", 2)
    before = await secrets_of(with_secrets, database)
    assert len(before) == 6, "three provider keys, a header in the agent and its version, an answer"
    with pytest.raises(CannotOpen):
        Sealer([NEW_KEY]).open(before[0])

    await rotate(database, Sealer([NEW_KEY, *settings.encryption_keys]))

    opened = [Sealer([NEW_KEY]).open(sealed) for sealed in await secrets_of(with_secrets, database)]
    assert opened == [settings.sealer.open(sealed) for sealed in before]


async def test_repeating_it_changes_nothing(
    with_secrets: TenantClient, database: Database, settings: ControlPlaneSettings
) -> None:
    sealer = Sealer([NEW_KEY, *settings.encryption_keys])
    first = await rotate(database, sealer)
    after_first = await secrets_of(with_secrets, database)
    second = await rotate(database, sealer)
    assert await secrets_of(with_secrets, database) == after_first
    assert sum(column.resealed for column in first) >= 6
    assert [column.resealed for column in second] == [0] * len(SEALED_COLUMNS)
    assert [column.found for column in second] == [column.found for column in first]


async def test_what_no_key_opens_is_counted_and_left_alone(
    with_secrets: TenantClient, database: Database
) -> None:
    before = await secrets_of(with_secrets, database)
    done = await rotate(database, Sealer([Fernet.generate_key().decode()]))
    assert all(column.cannot_be_opened == column.found for column in done)
    assert await secrets_of(with_secrets, database) == before


async def test_a_version_keeps_its_digest_true_and_is_otherwise_closed_to_change(
    with_secrets: TenantClient, database: Database, settings: ControlPlaneSettings
) -> None:
    await rotate(database, Sealer([NEW_KEY, *settings.encryption_keys]))
    async with database.tenant_session(with_secrets.tenant_id) as session:
        version = (await session.scalars(select(AgentVersion))).one()
        agent = (await session.scalars(select(Agent))).one()
        assert version.digest == digest_of(version.snapshot)
        assert version.frozen.text == version.snapshot
        assert len(version.frozen.config["tools"]) == len(agent.config["tools"]) == 1
    with pytest.raises(DBAPIError, match="append-only"):
        async with database.system_session() as session:
            await session.execute(text("UPDATE agent_versions SET digest = ''"))


async def test_a_request_cannot_open_versions_to_change(
    with_secrets: TenantClient, database: Database
) -> None:
    async def change() -> None:
        async with database.tenant_session(with_secrets.tenant_id) as session:
            await session.execute(text("SET LOCAL switchboard.sealing_anew = 'on'"))
            await session.execute(text("UPDATE agent_versions SET digest = ''"))

    with pytest.raises(DBAPIError, match="permission denied"):
        await change()


async def plan_of(database: Database, call_id: UUID) -> CallPlan:
    async with database.system_session() as session:
        return CallPlan.model_validate(
            await session.scalar(select(Call.plan).where(Call.id == call_id))
        )


def secrets_in(plan: CallPlan) -> list[str]:
    headers = [
        header
        for agent in plan.agents.values()
        for tool in agent.agent.tools
        if isinstance(tool, CallWebhook)
        for header in tool.headers.values()
    ]
    sealed = [header.sealed for header in headers if isinstance(header, SealedText)]
    return [*plan.sealed_provider_keys.values(), *sealed]


async def test_a_phone_call_that_waits_runs_with_the_new_key_alone(
    tenant: TenantClient, database: Database, settings: ControlPlaneSettings
) -> None:
    await bring_keys(tenant, "openai", "anthropic")
    colleague = await tenant.published_agent(**MINE, tools=[TOOL])
    agent_id = await tenant.published_agent(**MINE, tools=[TOOL, handoff(colleague)])
    waiting = UUID((await create_call(tenant, agent_id)).json()["id"])
    over = UUID((await create_call(tenant, agent_id)).json()["id"])
    async with database.system_session() as session:
        await session.execute(
            update(Call).where(Call.id == waiting).values(status="queued", due_at=func.now())
        )
        ended = {"status": "completed", "end_reason": "normal_hangup", "ended_at": func.now()}
        await session.execute(update(Call).where(Call.id == over).values(ended))
    before = await plan_of(database, waiting)
    over_before = await plan_of(database, over)
    assert len(secrets_in(before)) == 4

    await rotate(database, Sealer([NEW_KEY, *settings.encryption_keys]))

    after = await plan_of(database, waiting)
    opened = [Sealer([NEW_KEY]).open(sealed) for sealed in secrets_in(after)]
    assert opened == [settings.sealer.open(sealed) for sealed in secrets_in(before)]
    left_out = {"agent", "sealed_provider_keys", "handoffs"}
    assert after.model_dump(exclude=left_out) == before.model_dump(exclude=left_out)
    assert await plan_of(database, over) == over_before


def test_every_table_with_a_column_for_secrets_is_known() -> None:
    """By name: ``sealed_…`` is how a column says that it holds one."""
    known = {str(column) for column in SEALED_COLUMNS}
    named = {
        f"{table.name}.{column.name}"
        for table in ProviderKey.metadata.tables.values()
        for column in table.columns
        if column.name.startswith("sealed_")
    }
    assert named <= known


def test_only_the_headers_of_tools_are_touched() -> None:
    """What a tenant writes elsewhere may look like a sealed text and is none."""
    look_alike = {"sealed": "x", "hint": "y"}
    config = {
        "post_call": {"structured_extraction": {"json_schema": {"properties": look_alike}}},
        "tools": [{"name": "a", "parameters": look_alike, "headers": {"X": look_alike}}, {"b": 1}],
    }
    changed = agent_config(config, lambda sealed: sealed + "!")
    assert changed["tools"][0]["headers"] == {"X": {"sealed": "x!", "hint": "y"}}
    changed["tools"][0]["headers"] = {"X": look_alike}
    assert changed == config

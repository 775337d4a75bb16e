"""The audit log: who changed what, and from where."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest
from sqlalchemy import delete, update
from sqlalchemy.exc import DBAPIError

from control_plane.platform.audit.models import AuditEntry
from control_plane.platform.audit.recording import OPERATOR, record_act
from control_plane.platform.database import Database
from control_plane.platform.tenancy.caller import RequestOrigin
from tests.control_plane.conftest import TenantClient


@pytest.fixture
async def some_entries(tenant: TenantClient, database: Database) -> list[str]:
    """The targets of ``agent.published``, ``agents.imported`` and ``api_key.revoked``."""
    targets = [uuid4().hex for _ in range(3)]
    actions = ["agent.published", "agents.imported", "api_key.revoked"]
    origin = RequestOrigin("203.0.113.7", "x" * 1000, "request-1")
    for target, action in zip(targets, actions, strict=True):
        async with database.system_session() as session:
            record_act(session, tenant.tenant_id, OPERATOR, origin, action, target_id=target)
    return targets


async def targets_of(tenant: TenantClient, **query: object) -> list[str]:
    answer = await tenant.get("/v1/audit-log", params=query)
    assert answer.status_code == 200, answer.text
    return [entry["target_id"] for entry in answer.json()["entries"]]


async def test_an_entry_says_who_did_what_and_from_where(
    tenant: TenantClient, some_entries: list[str]
) -> None:
    answer = (await tenant.get("/v1/audit-log", params={"target_id": some_entries[0]})).json()
    (entry,) = answer["entries"]
    assert entry["action"] == "agent.published"
    assert (entry["actor_kind"], entry["actor_id"]) == ("operator", None)
    assert entry["address"] == "203.0.113.7"
    assert entry["user_agent"] == "x" * 400
    assert entry["request_id"] == "request-1"
    assert (answer["total"], answer["limit"], answer["offset"]) == (1, 50, 0)


async def test_the_newest_comes_first(tenant: TenantClient, some_entries: list[str]) -> None:
    assert (await targets_of(tenant))[:3] == some_entries[::-1]
    assert await targets_of(tenant, limit=1, offset=1) == [some_entries[1]]


async def test_an_action_filters_by_name_or_by_kind(
    tenant: TenantClient, some_entries: list[str]
) -> None:
    assert await targets_of(tenant, action="agent.published") == [some_entries[0]]
    assert await targets_of(tenant, action="agent") == [some_entries[0]]
    assert await targets_of(tenant, action="api_key") == [some_entries[2]]
    assert await targets_of(tenant, action="a%") == []


async def test_times_filter(tenant: TenantClient, some_entries: list[str]) -> None:
    later = (datetime.now(UTC) + timedelta(hours=1)).isoformat()
    assert await targets_of(tenant, since=later) == []
    assert set(some_entries) <= set(await targets_of(tenant, until=later))


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ({"limit": 201}, "limit"),
        ({"offset": -1}, "offset"),
        ({"since": "yesterday"}, "since"),
        ({"since": "2026-01-01T00:00:00"}, "since"),
        ({"until": "2026"}, "until"),
        ({"actor_id": "me"}, "actor_id"),
    ],
)
async def test_a_wrong_query_is_400(
    tenant: TenantClient, query: dict[str, object], field: str
) -> None:
    answer = await tenant.get("/v1/audit-log", params=query)
    assert answer.status_code == 400
    assert answer.json()["errors"][0]["field"] == field


@pytest.mark.parametrize("statement", [update(AuditEntry).values(action="x"), delete(AuditEntry)])
async def test_nobody_changes_an_entry(
    tenant: TenantClient, some_entries: list[str], database: Database, statement: object
) -> None:
    with pytest.raises(DBAPIError):
        async with database.tenant_session(tenant.tenant_id) as session:
            await session.execute(statement)  # type: ignore[call-overload]
    with pytest.raises(DBAPIError):
        async with database.system_session() as session:
            await session.execute(statement)  # type: ignore[call-overload]

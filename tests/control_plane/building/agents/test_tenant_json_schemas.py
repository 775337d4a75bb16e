"""A JSON Schema is checked before its request takes a connection to the database, and only once."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, TypeVar
from uuid import uuid4

import pytest
from fastapi import FastAPI

from control_plane.platform.json_schemas.checked_schemas import checked_schemas
from control_plane.platform.json_schemas.turns import Turns
from schema_sandbox.sandbox import SchemaSandbox
from tests.control_plane.building.agents.test_slow_names import connections_in_use
from tests.control_plane.conftest import TenantClient

T = TypeVar("T")
CALL = {"participants": [{"identity": "ada", "transport": "webrtc"}]}


def extraction(schema: dict[str, Any]) -> dict[str, Any]:
    return {"post_call": {"structured_extraction": {"json_schema": schema}}}


def tool(schema: dict[str, Any]) -> dict[str, Any]:
    binding = {"type": "call_webhook", "name": "a", "description": "b", "parameters": schema}
    return {"tools": [binding | {"url": "https://93.184.215.14/hook"}]}


@pytest.fixture
def in_use(app: FastAPI, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many connections to the database were in use at each check."""
    counts = list[int]()
    run = SchemaSandbox.run

    async def counting(sandbox: SchemaSandbox, check: Callable[[], T]) -> T:
        counts.append(connections_in_use(app))
        return await run(sandbox, check)

    monkeypatch.setattr(SchemaSandbox, "run", counting)
    return counts


@pytest.mark.parametrize("kind", ["object", "tooth"])
@pytest.mark.parametrize(
    ("method", "path", "field"),
    [
        ("POST", "/v1/agents", extraction),
        ("POST", "/v1/agents", tool),
        ("POST", "/v1/agents/draft", tool),
        ("PATCH", "/v1/agents/{agent}", extraction),
        ("PATCH", "/v1/agents/{agent}", tool),
        ("POST", "/v1/agents/apply-changes", tool),
        ("POST", "/v1/calls", extraction),
    ],
)
async def test_no_database_connection_waits_for_a_check(
    tenant: TenantClient,
    in_use: list[int],
    method: str,
    path: str,
    field: Callable[[dict[str, Any]], dict[str, Any]],
    kind: str,
) -> None:
    agent_id = str(await tenant.published_agent())
    in_use.clear()
    document = field({"type": kind, "title": uuid4().hex})
    body: dict[str, Any] = document | {"name": "x"}
    if path == "/v1/calls":
        body = CALL | {"agent_id": agent_id} | document
    elif path.endswith("apply-changes"):
        body = {"currentConfig": body, "changes": [], "mode": "create"}
    answer = await tenant.request(method, path.replace("{agent}", agent_id), json=body)
    assert in_use == [0], answer.text
    is_refused = answer.status_code == 400 or answer.json().get("valid") is False
    assert is_refused is (kind == "tooth"), answer.text
    if is_refused:
        assert "is not a valid JSON Schema" in answer.text


async def test_ten_calls_at_once_with_a_new_schema_are_not_refused(
    tenant: TenantClient, in_use: list[int]
) -> None:
    agent_id = str(await tenant.published_agent())
    in_use.clear()
    body = CALL | {"agent_id": agent_id} | extraction({"type": "object", "title": uuid4().hex})
    answers = await asyncio.gather(*(tenant.post("/v1/calls", body) for _ in range(10)))
    assert {answer.status_code for answer in answers} == {201}
    assert len(in_use) == 1


async def test_a_stranger_cannot_have_schemas_checked(
    tenant: TenantClient, in_use: list[int]
) -> None:
    agent_id = str(await tenant.published_agent())
    headers = await tenant.publishable_key()
    in_use.clear()
    body = CALL | {"agent_id": agent_id} | extraction({"title": uuid4().hex})
    answer = await tenant.http.post("/v1/calls", json=body, headers=headers)
    assert answer.status_code == 403
    assert in_use == []


async def test_the_refusal_names_its_limit(
    tenant: TenantClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    agent_id = await tenant.agent()
    monkeypatch.setattr(checked_schemas(), "_turns", Turns(most_of_tenant=0))
    answer = await tenant.request(
        "PATCH", f"/v1/agents/{agent_id}", json=extraction({"title": uuid4().hex})
    )
    assert answer.status_code == 429
    assert answer.headers["Retry-After"] == "2"
    problem = answer.json()
    assert (problem["policy"], problem["limit"], problem["used"]) == ("schemas_of_tenant", 0, 0)

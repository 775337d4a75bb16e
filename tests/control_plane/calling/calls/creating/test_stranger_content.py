"""What a call with a publishable key may bring along."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import httpx2
import pytest
from sqlalchemy import text

from control_plane.platform.database import Database
from tests.control_plane.conftest import TenantClient
from tests.control_plane.conversation import CALLER
from tests.control_plane.linked import settings

__all__ = ["settings"]

OPENER = "Hi {{ first_name | default('there') }} from {{ shop.city }}{{ note }}."
ROOMY = {
    "participants": 2,
    "variables": 30,
    "variable_characters": 500,
    "undeclared_variables": True,
    "metadata_bytes": 4_000,
}


@pytest.fixture
async def agent_id(tenant: TenantClient) -> UUID:
    return await tenant.published_agent(playbook={"opener": OPENER})


async def call(
    tenant: TenantClient, key: dict[str, str], agent_id: UUID, **fields: Any
) -> httpx2.Response:
    wanted = {"agent_id": str(agent_id), "participants": [CALLER]} | fields
    return await tenant.http.post("/v1/calls", headers=key, json=wanted)


TOO_MUCH = [
    ({"participants": [CALLER, CALLER | {"identity": "eve"}]}, "at most 1 participant."),
    ({"variables": {f"v{n}": 1 for n in range(21)}}, "at most 20 variables"),
    ({"variables": {"first_name": "x" * 201}}, "at most 200 characters"),
    ({"variables": {"first_name": ["x" * 200]}}, "at most 200 characters"),
    ({"variables": {"admin": "yes"}}, "do not use 'admin'"),
    ({"variables": {"it's\n": "yes"}}, "do not use 'it's\n'"),
    ({"metadata": {"a": "x" * 2_048}}, "at most 2048 bytes"),
    ({"participants": [CALLER | {"metadata": {"a": "x" * 2_048}}]}, "at most 2048 bytes"),
]


@pytest.mark.parametrize(("fields", "why"), TOO_MUCH)
async def test_a_stranger_sets_little_unless_the_key_allows_more(
    tenant: TenantClient, agent_id: UUID, fields: dict[str, Any], why: str
) -> None:
    refused = await call(tenant, await tenant.publishable_key(), agent_id, **fields)
    assert (refused.status_code, refused.json()["code"]) == (403, "key_scope_violation")
    assert why in refused.json()["detail"]
    roomy = await tenant.publishable_key(call_limits=ROOMY)
    assert (await call(tenant, roomy, agent_id, **fields)).status_code == 201
    assert (await call(tenant, tenant.headers, agent_id, **fields)).status_code == 201


async def test_a_stranger_never_sets_the_analysis(tenant: TenantClient, agent_id: UUID) -> None:
    key = await tenant.publishable_key(call_limits=ROOMY)
    refused = await call(tenant, key, agent_id, post_call={"summary": {"enabled": False}})
    assert (refused.status_code, refused.json()["code"]) == (403, "key_scope_violation")
    assert "post_call" in refused.json()["detail"]


async def test_what_the_agent_asks_for_is_taken(tenant: TenantClient, agent_id: UUID) -> None:
    answer = await call(
        tenant,
        await tenant.publishable_key(),
        agent_id,
        variables={"first_name": "Ada", "shop.city": "Bonn", "note": "x" * 200},
        metadata={"page": "x" * 1_900},
    )
    assert answer.status_code == 201, answer.text


async def test_limits_are_changed_and_put_back(tenant: TenantClient) -> None:
    made = await tenant.post(
        "/v1/api-keys",
        {"name": "Page", "kind": "publishable", "call_limits": {"participants": 2}},
    )
    assert made.json()["call_limits"] == {
        "participants": 2,
        "variables": 20,
        "variable_characters": 200,
        "undeclared_variables": False,
        "metadata_bytes": 2_048,
    }
    path = f"/v1/api-keys/{made.json()['id']}"
    changed = await tenant.request("PATCH", path, json={"call_limits": {"variables": 3}})
    assert changed.json()["call_limits"] | {"variables": 20} == {
        **made.json()["call_limits"],
        "participants": 1,
    }
    back = await tenant.request("PATCH", path, json={"call_limits": None})
    assert back.json()["call_limits"] is None


async def test_a_limit_that_the_next_release_adds_is_ignored(
    tenant: TenantClient, agent_id: UUID, database: Database
) -> None:
    key = await tenant.publishable_key(call_limits={"variables": 1})
    async with database.system_session() as session:
        await session.execute(
            text("""UPDATE api_keys SET call_limits = call_limits || '{"of_0_3": 5}'""")
        )
    variables = {"first_name": "Ada", "note": "hello"}
    refused = await call(tenant, key, agent_id, variables=variables)
    assert (refused.status_code, refused.json()["code"]) == (403, "key_scope_violation")
    listed = (await tenant.get("/v1/api-keys")).json()["api_keys"]
    shown = [each["call_limits"] for each in listed if each["call_limits"]]
    assert [limits["variables"] for limits in shown] == [1]
    assert "of_0_3" not in shown[0]

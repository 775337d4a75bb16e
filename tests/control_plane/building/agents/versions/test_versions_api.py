"""Versions over the API: list, read, compare, bring back."""

from __future__ import annotations

from typing import Any
from uuid import UUID, uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import select, text

from control_plane.building.agents.models import AgentVersion
from control_plane.building.agents.publishing.snapshot import Snapshot, digest_of, read_snapshot
from control_plane.platform.audit.models import AuditEntry
from control_plane.platform.database import Database
from control_plane.platform.outbox.models import OutboxEvent
from tests.control_plane.conftest import TenantClient

ODD: dict[str, Any] = {
    "name": "Ünïcödé \u2028 \U0001f600",
    "advanced": {"silencePromptDelay": 6.50, "startSpeakingThreshold": 1e-3},
    "post_call": {
        "structured_extraction": {
            "json_schema": {"z": 1, "a": [1.0, 1e2, 0.1, None, True], "é": {"type": "object"}}
        }
    },
}
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=10,
)


async def snapshot_of(database: Database, agent_id: UUID, version: int) -> str:
    async with database.system_session() as session:
        found = await session.get_one(AgentVersion, (agent_id, version))
    return found.snapshot


async def published_twice(tenant: TenantClient) -> UUID:
    agent_id = await tenant.published_agent(**ODD)
    change = {"name": "Second", "playbook": {"opener": "Hi"}}
    await tenant.request("PATCH", f"/v1/agents/{agent_id}", json=change)
    await tenant.post(f"/v1/agents/{agent_id}/publish")
    return agent_id


@given(st.dictionaries(st.text(), JSON, max_size=4), st.text())
def test_a_snapshot_has_one_text(config: dict[str, Any], prompt: str) -> None:
    snapshot = Snapshot(config, {"mode": "pipeline"}, prompt)
    shuffled = Snapshot(dict(reversed(config.items())), {"mode": "pipeline"}, prompt)
    assert read_snapshot(snapshot.text) == snapshot
    assert read_snapshot(snapshot.text).text == snapshot.text == shuffled.text
    assert digest_of(snapshot.text) == digest_of(shuffled.text)


async def test_rolling_back_serves_the_byte_equal_snapshot(
    tenant: TenantClient, database: Database
) -> None:
    agent_id = await published_twice(tenant)

    answer = await tenant.post(f"/v1/agents/{agent_id}/versions/1/roll-back")

    assert answer.status_code == 200, answer.text
    rolled = answer.json()
    assert (rolled["status"], rolled["version"], rolled["restored_from"]) == ("rolled_back", 3, 1)
    assert rolled["warnings"] == []
    first = await snapshot_of(database, agent_id, 1)
    third = await snapshot_of(database, agent_id, 3)
    assert third.encode() == first.encode()
    listed = (await tenant.get(f"/v1/agents/{agent_id}/versions")).json()["versions"]
    assert [(v["version"], v["restored_from"], v["is_served"]) for v in listed] == [
        (3, 1, True),
        (2, None, False),
        (1, None, False),
    ]
    assert listed[0]["digest"] == listed[2]["digest"] == digest_of(first)
    draft = (await tenant.get(f"/v1/agents/{agent_id}")).json()
    assert (draft["name"], draft["published_version"]) == ("Second", 3)


async def test_new_calls_run_the_version_that_was_brought_back(tenant: TenantClient) -> None:
    agent_id = await published_twice(tenant)
    await tenant.post(f"/v1/agents/{agent_id}/versions/1/roll-back")
    call = await tenant.post(
        "/v1/calls",
        {
            "agent_id": str(agent_id),
            "participants": [{"transport": "webrtc", "identity": "Ann"}],
        },
    )
    assert call.json()["agent"]["name"] == ODD["name"]


async def test_the_draft_goes_back_as_well_if_that_is_wanted(tenant: TenantClient) -> None:
    agent_id = await tenant.published_agent(**ODD)
    first = (await tenant.get(f"/v1/agents/{agent_id}")).json()
    await tenant.request("PATCH", f"/v1/agents/{agent_id}", json={"persona": {"role": "clerk"}})

    path = f"/v1/agents/{agent_id}/versions/1/roll-back"
    assert (await tenant.post(path, {"restore_draft": True})).status_code == 200

    again = (await tenant.get(f"/v1/agents/{agent_id}")).json()
    own = ("updated_at", "published_version")
    assert {n: v for n, v in again.items() if n not in own} == {
        n: v for n, v in first.items() if n not in own
    }


async def test_a_roll_back_is_noted_and_announced(tenant: TenantClient, database: Database) -> None:
    agent_id = await published_twice(tenant)
    await tenant.post(f"/v1/agents/{agent_id}/versions/1/roll-back")
    async with database.tenant_session(tenant.tenant_id) as session:
        noted = (
            await session.scalars(
                select(AuditEntry.changes).where(AuditEntry.action == "agent.rolled_back")
            )
        ).all()
        announced = (
            await session.scalars(
                select(OutboxEvent.data["metadata"]["version"].astext)
                .where(OutboxEvent.event == "agent.published")
                .order_by(OutboxEvent.occurred_at)
            )
        ).all()
    assert noted == [{"version": 3, "restored_from": 1, "restore_draft": False}]
    assert announced[-1] == "3"


async def test_one_version_is_read_whole(tenant: TenantClient) -> None:
    agent_id = await published_twice(tenant)
    version = (await tenant.get(f"/v1/agents/{agent_id}/versions/1")).json()
    assert (version["version"], version["is_served"]) == (1, False)
    assert version["config"]["name"] == ODD["name"]
    assert version["config"]["supported_languages"] == ["en-US"]
    assert version["provider_config"]["stt"]["primary"]["provider"] == "local"
    assert "Ünïcödé" in version["compiled_prompt"]


@pytest.mark.parametrize(("before", "after"), [("1", "2"), ("1", "draft")])
async def test_two_versions_are_compared_by_json_pointer(
    tenant: TenantClient, before: str, after: str
) -> None:
    agent_id = await published_twice(tenant)
    diff = (await tenant.get(f"/v1/agents/{agent_id}/versions/{before}/diff/{after}")).json()
    assert diff == {
        "agent_id": str(agent_id),
        "from": 1,
        "to": 2 if after == "2" else "draft",
        "changes": [
            {"op": "replace", "path": "/name", "from": ODD["name"], "to": "Second"},
            {"op": "replace", "path": "/playbook/opener", "from": None, "to": "Hi"},
        ],
    }


async def test_a_changed_secret_is_a_difference_that_shows_no_secret(tenant: TenantClient) -> None:
    def webhook(secret: str) -> dict[str, Any]:
        return {
            "type": "call_webhook",
            "name": "look_up",
            "description": "Look it up.",
            "url": "https://api.example.com/",
            "headers": {"X-Key": secret},
        }

    agent_id = await tenant.published_agent(tools=[webhook("first-secret-0001")])
    await tenant.request(
        "PATCH", f"/v1/agents/{agent_id}", json={"tools": [webhook("second-secret-0002")]}
    )
    diff = (await tenant.get(f"/v1/agents/{agent_id}/versions/1/diff/draft")).json()
    assert diff["changes"] == [
        {"op": "replace", "path": "/tools/0/headers/X-Key", "from": "••••0001", "to": "••••0002"}
    ]


@pytest.mark.parametrize(
    ("method", "path", "status", "code"),
    [
        ("GET", "versions/9", 404, "agent_version_not_found"),
        ("GET", "versions/1/diff/9", 404, "agent_version_not_found"),
        ("POST", "versions/9/roll-back", 404, "agent_version_not_found"),
        ("GET", "versions/0", 400, "invalid_request"),
        ("GET", "versions/99999999999999999999", 400, "invalid_request"),
        ("GET", "versions/1/diff/latest", 400, "invalid_request"),
        ("GET", "versions?limit=201", 400, "invalid_request"),
        ("POST", "versions/x/roll-back", 400, "invalid_request"),
    ],
)
async def test_what_is_not_there_or_not_a_version(
    tenant: TenantClient, method: str, path: str, status: int, code: str
) -> None:
    agent_id = await tenant.published_agent()
    answer = await tenant.request(method, f"/v1/agents/{agent_id}/{path}")
    assert (answer.status_code, answer.json()["code"]) == (status, code)


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "versions"),
        ("GET", "versions/1"),
        ("GET", "versions/1/diff/draft"),
        ("POST", "versions/1/roll-back"),
    ],
)
async def test_versions_of_no_agent_are_404(tenant: TenantClient, method: str, path: str) -> None:
    answer = await tenant.request(method, f"/v1/agents/{uuid4()}/{path}")
    assert (answer.status_code, answer.json()["code"]) == (404, "agent_not_found")


async def test_a_roll_back_after_somebody_elses_change_is_412(tenant: TenantClient) -> None:
    agent_id = await tenant.published_agent()
    answer = await tenant.http.post(
        f"/v1/agents/{agent_id}/versions/1/roll-back",
        headers=tenant.headers | {"If-Match": '"0"'},
    )
    assert (answer.status_code, answer.json()["code"]) == (412, "precondition_failed")


async def test_no_version_is_ever_changed(tenant: TenantClient, database: Database) -> None:
    await tenant.published_agent()
    for statement in ("UPDATE agent_versions SET digest = ''", "DELETE FROM agent_versions"):
        with pytest.raises(Exception, match=r"append-only|permission denied"):
            async with database.system_session() as session:
                await session.execute(text(statement))

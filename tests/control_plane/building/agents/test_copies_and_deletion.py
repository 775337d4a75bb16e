"""Copies, drafts and deletion. Source: API spec, "Agents" under Endpoints."""

from __future__ import annotations

from uuid import UUID

from sqlalchemy import select

from control_plane.platform.audit.models import AuditEntry
from control_plane.platform.database import Database
from tests.control_plane.conftest import TenantClient

OWN = ("id", "name", "created_at", "updated_at", "published_version", "compiled_prompt")


async def test_a_copy_is_identical_but_for_its_name_and_unpublished(tenant: TenantClient) -> None:
    agent_id = await tenant.published_agent(
        name="Desk", persona={"role": "clerk", "companyName": "Bright Smiles"}, voice="hibari"
    )
    original = (await tenant.get(f"/v1/agents/{agent_id}")).json()

    answer = await tenant.post(f"/v1/agents/{agent_id}/clone")

    assert answer.status_code == 201
    assert set(answer.json()) == {"status", "id"}
    assert answer.json()["status"] == "created"
    copy = (await tenant.get(f"/v1/agents/{answer.json()['id']}")).json()
    assert (copy["name"], copy["published_version"]) == ("Desk (Copy)", None)
    assert {n: v for n, v in copy.items() if n not in OWN} == {
        n: v for n, v in original.items() if n not in OWN
    }
    assert (await tenant.get(f"/v1/agents/{agent_id}")).json() == original


async def test_the_longest_name_can_be_copied(tenant: TenantClient) -> None:
    agent_id = await tenant.agent(name="x" * 500)
    copy = (await tenant.post(f"/v1/agents/{agent_id}/clone")).json()["id"]
    name = (await tenant.get(f"/v1/agents/{copy}")).json()["name"]
    assert (len(name), name[-8:]) == (500, "x (Copy)")


async def test_a_draft_is_saved_with_warnings_where_create_refuses(tenant: TenantClient) -> None:
    body = {"name": "Desk", "supported_languages": ["en-US", "tlh"]}
    assert (await tenant.post("/v1/agents", body)).status_code == 400

    answer = await tenant.post("/v1/agents/draft", body)

    assert answer.status_code == 201, answer.text
    draft = answer.json()
    assert draft["status"] == "created"
    assert ["tlh" in warning for warning in draft["warnings"]] == [True]
    path = f"/v1/agents/{draft['id']}"
    assert (await tenant.get(path)).json()["supported_languages"] == ["en-US", "tlh"]
    assert (await tenant.post(f"{path}/publish")).status_code == 409
    assert (await tenant.post(f"{path}/clone")).status_code == 201


async def test_a_draft_can_be_edited_until_it_can_run(tenant: TenantClient) -> None:
    draft = await tenant.post("/v1/agents/draft", {"name": "Desk", "language": "tlh"})
    path = f"/v1/agents/{draft.json()['id']}"

    async def status_of(**changes: object) -> int:
        return (await tenant.request("PATCH", path, json=changes)).status_code

    assert await status_of(name="Front desk") == 200
    assert await status_of(supported_languages=["tlh", "sux"]) == 400
    assert await status_of(language="en-US") == 200
    assert await status_of(language="tlh") == 400
    assert (await tenant.post(f"{path}/publish")).status_code == 200


async def test_a_draft_that_can_run_has_no_warnings(tenant: TenantClient) -> None:
    assert (await tenant.post("/v1/agents/draft", {"name": "Desk"})).json()["warnings"] == []


async def test_a_drafts_fields_are_checked_all_the_same(tenant: TenantClient) -> None:
    answer = await tenant.post("/v1/agents/draft", {"name": "Desk", "language": "xx-QQ"})
    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (400, "language")


async def test_a_deleted_agent_is_gone_and_its_calls_stay(tenant: TenantClient) -> None:
    agent_id = await tenant.published_agent()
    wanted = {
        "agent_id": str(agent_id),
        "participants": [{"transport": "webrtc", "identity": "Ann"}],
    }
    call = (await tenant.post("/v1/calls", wanted)).json()

    answer = await tenant.request("DELETE", f"/v1/agents/{agent_id}")

    assert (answer.status_code, answer.json()) == (200, {"status": "deleted", "id": str(agent_id)})
    assert (await tenant.get("/v1/agents")).json()["total"] == 0
    assert (await tenant.get(f"/v1/agents/{agent_id}")).status_code == 404
    assert (await tenant.get(f"/v1/agents/{agent_id}/calls")).status_code == 404
    assert (await tenant.post("/v1/calls", wanted)).status_code == 404
    shown = await tenant.get(f"/v1/calls/{call['id']}")
    assert (shown.status_code, shown.json()["status"]) == (200, "connecting")
    assert (await tenant.get("/v1/calls")).json()["calls"][0]["agent_id"] == str(agent_id)


async def test_nothing_is_handed_over_to_a_deleted_or_foreign_agent(
    tenant: TenantClient, other_tenant: TenantClient
) -> None:
    def to(agent_id: UUID) -> dict[str, object]:
        handoff = {
            "type": "handoff",
            "name": "to_sales",
            "description": "For new customers.",
            "agent_id": str(agent_id),
        }
        return {"tools": [handoff]}

    sales = await tenant.agent(name="Sales")
    desk = await tenant.agent(**to(sales))
    await tenant.request("DELETE", f"/v1/agents/{sales}")
    for target in (sales, await other_tenant.agent()):
        answer = await tenant.request("PATCH", f"/v1/agents/{desk}", json=to(target))
        assert answer.status_code == 400
        assert answer.json()["errors"][0]["field"] == "tools[0].agent_id"
    renamed = await tenant.request("PATCH", f"/v1/agents/{desk}", json={"name": "Desk"})
    assert renamed.status_code == 200


async def test_every_change_is_noted_with_its_fields(
    tenant: TenantClient, database: Database
) -> None:
    agent_id = await tenant.agent()
    change = {"name": "Desk", "persona": {"role": "clerk"}, "voice": "Aoede"}
    await tenant.request("PATCH", f"/v1/agents/{agent_id}", json=change)
    copy = (await tenant.post(f"/v1/agents/{agent_id}/clone")).json()["id"]
    await tenant.request("DELETE", f"/v1/agents/{agent_id}")
    async with database.tenant_session(tenant.tenant_id) as session:
        rows = await session.execute(
            select(AuditEntry.action, AuditEntry.target_id, AuditEntry.changes)
            .where(AuditEntry.action.like("agent.%"))
            .order_by(AuditEntry.id)
        )
        noted = [tuple(row) for row in rows]
    assert noted == [
        ("agent.created", str(agent_id), {}),
        ("agent.updated", str(agent_id), {"fields": ["name", "persona.role"]}),
        ("agent.created", copy, {"copied_from": str(agent_id)}),
        ("agent.deleted", str(agent_id), {}),
    ]

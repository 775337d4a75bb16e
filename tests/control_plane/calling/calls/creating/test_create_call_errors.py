"""What ``POST /v1/calls`` refuses, and in which order."""

from __future__ import annotations

from typing import Any
from uuid import UUID, uuid4

import httpx2
import pytest
from fastapi import FastAPI
from sqlalchemy import text

from control_plane.platform.database import Database
from control_plane.platform.settings import ControlPlaneSettings
from tests.control_plane.conftest import TenantClient
from tests.control_plane.conversation import CALLER, balance_of, create_call
from tests.control_plane.owned_books import change_books
from tests.control_plane.platform.json_schemas.test_checking import doubled

PHONE = {"transport": "pstn", "identity": "+14155550100"}


def body(agent_id: object, **fields: Any) -> dict[str, Any]:
    named = {} if agent_id is None else {"agent_id": str(agent_id)}
    return named | {"participants": [CALLER]} | fields


async def refused(
    tenant: TenantClient, wanted: Any, headers: dict[str, str] | None = None
) -> tuple[int, str]:
    answer = await tenant.http.post("/v1/calls", headers=headers or tenant.headers, json=wanted)
    assert answer.headers["content-type"] == "application/problem+json"
    return answer.status_code, answer.json()["code"]


async def empty_account(database: Database, tenant: TenantClient) -> None:
    await change_books(
        database,
        "UPDATE billing_accounts SET held_micros = free_micros WHERE tenant_id = :tenant_id",
        tenant_id=tenant.tenant_id,
    )


@pytest.mark.parametrize(
    ("wanted", "field"),
    [
        ({}, "participants"),
        ({"participants": [CALLER]}, "agent_id"),
        (body("no-uuid"), "agent_id"),
        (body(uuid4(), participants=[]), "participants"),
        (body(uuid4(), participants="ada"), "participants"),
        (body(uuid4(), participants=[{}]), "participants[0].transport"),
        (body(uuid4(), participants=[CALLER | {"identity": ""}]), "participants[0].identity"),
        (body(uuid4(), participants=[CALLER | {"transport": "fax"}]), "participants[0].transport"),
        (
            body(uuid4(), participants=[CALLER | {"from_number": "1"}]),
            "participants[0].from_number",
        ),
        (body(uuid4(), participants=[CALLER, PHONE]), "participants[1].transport"),
        (body(None, participants=[PHONE]), "agent_id"),
        (body(uuid4(), participants=[PHONE | {"identity": "ada"}]), "participants[0].identity"),
        (body(uuid4(), participants=[PHONE | {"identity": "+1415"}]), "participants[0].identity"),
        (
            body(uuid4(), participants=[PHONE | {"from_number": "4155550101"}]),
            "participants[0].from_number",
        ),
        (body(uuid4(), metadata=[]), "metadata"),
        (body(uuid4(), variables="x"), "variables"),
        (body(uuid4(), surprise=1), "surprise"),
        (body(uuid4(), post_call={"summary": {"enabled": "maybe"}}), "post_call.summary.enabled"),
        (body(uuid4(), metadata={"a": "\x00"}), "metadata.a"),
    ],
)
async def test_a_wrong_request_is_400_and_names_the_field(
    tenant: TenantClient, wanted: dict[str, Any], field: str
) -> None:
    answer = await tenant.post("/v1/calls", wanted)
    assert answer.status_code == 400, answer.text
    assert field in [error["field"] for error in answer.json()["errors"]]


async def test_a_phone_participant_is_told_that_no_carrier_is_connected(
    tenant: TenantClient,
) -> None:
    answer = await tenant.post("/v1/calls", body(uuid4(), participants=[PHONE]))
    assert answer.status_code == 400
    assert "no carrier connected yet" in answer.json()["detail"]


async def test_a_missing_key_comes_before_a_wrong_request(http: httpx2.AsyncClient) -> None:
    answer = await http.post("/v1/calls", json={})
    assert (answer.status_code, answer.json()["code"]) == (401, "unauthorized")
    assert answer.headers["www-authenticate"] == "Bearer"


async def phone_key(tenant: TenantClient) -> tuple[dict[str, str], UUID]:
    """A key for phone calls only, and the agent of those."""
    agent_id = await tenant.published_agent()
    headers = await tenant.publishable_key(allowed_channels=["phone"], phone_agent_id=str(agent_id))
    return headers, agent_id


async def test_a_wrong_request_comes_before_the_keys_scope(tenant: TenantClient) -> None:
    phone_only, _ = await phone_key(tenant)
    assert await refused(tenant, body(uuid4(), participants=[]), phone_only) == (
        400,
        "invalid_request",
    )


async def test_the_keys_scope_comes_before_the_agent(tenant: TenantClient) -> None:
    phone_only, _ = await phone_key(tenant)
    assert await refused(tenant, body(uuid4()), phone_only) == (403, "key_scope_violation")
    agent_id = await tenant.published_agent()
    one_agent = await tenant.publishable_key(allowed_agent_ids=[str(agent_id)])
    assert await refused(tenant, body(uuid4()), one_agent) == (403, "key_scope_violation")


async def test_a_publishable_key_for_the_web_may_call(tenant: TenantClient) -> None:
    agent_id = await tenant.published_agent()
    key = await tenant.publishable_key(allowed_channels=["web"], allowed_agent_ids=[str(agent_id)])
    answer = await tenant.http.post("/v1/calls", headers=key, json=body(agent_id))
    assert answer.status_code == 201, answer.text


@pytest.mark.parametrize(
    ("agent_id", "participants"),
    [
        (None, [PHONE, PHONE | {"identity": "+14155550101"}]),
        (None, [CALLER, PHONE]),
        (None, [PHONE | {"from_number": "+14155550101"}]),
        (uuid4(), [PHONE]),
    ],
)
async def test_a_publishable_key_calls_one_phone_with_its_own_agent_and_number(
    tenant: TenantClient, agent_id: UUID | None, participants: list[dict[str, str]]
) -> None:
    key, _ = await phone_key(tenant)
    wanted = body(agent_id, participants=participants)
    assert await refused(tenant, wanted, key) == (403, "key_scope_violation")


async def test_a_publishable_key_for_the_web_may_not_call_a_phone(tenant: TenantClient) -> None:
    key = await tenant.publishable_key()
    for agent_id in (None, uuid4()):
        wanted = body(agent_id, participants=[PHONE])
        assert await refused(tenant, wanted, key) == (403, "key_scope_violation")


async def test_a_publishable_key_for_phones_gets_past_its_scope(tenant: TenantClient) -> None:
    key, agent_id = await phone_key(tenant)
    for named in (None, agent_id):
        answer = await tenant.http.post(
            "/v1/calls", headers=key, json=body(named, participants=[PHONE])
        )
        assert answer.status_code == 400
        assert "no carrier connected yet" in answer.json()["detail"]


async def test_a_web_call_with_a_publishable_key_names_its_agent(tenant: TenantClient) -> None:
    key = await tenant.publishable_key()
    answer = await tenant.http.post("/v1/calls", headers=key, json=body(None))
    assert answer.status_code == 400
    assert answer.json()["errors"][0]["field"] == "agent_id"


async def test_a_number_on_the_do_not_call_list_is_400_and_names_the_participant(
    tenant: TenantClient, other_tenant: TenantClient
) -> None:
    await tenant.post("/v1/do-not-call", {"number": PHONE["identity"]})
    written = PHONE | {"identity": "+1 (415) 555-0100"}
    wanted = body(uuid4(), participants=[CALLER, written])

    answer = await tenant.post("/v1/calls", wanted)
    assert (answer.status_code, answer.json()["code"]) == (400, "do_not_call")
    assert answer.json()["errors"][0]["field"] == "participants[1].identity"
    assert PHONE["identity"] in answer.json()["detail"]

    assert await refused(other_tenant, wanted) == (400, "invalid_request")


async def test_the_keys_scope_comes_before_the_do_not_call_list(tenant: TenantClient) -> None:
    await tenant.post("/v1/do-not-call", {"number": PHONE["identity"]})
    web_only, (phone_only, _) = await tenant.publishable_key(), await phone_key(tenant)
    wanted = body(None, participants=[PHONE])
    assert await refused(tenant, wanted, web_only) == (403, "key_scope_violation")
    assert await refused(tenant, wanted, phone_only) == (400, "do_not_call")


async def test_a_publishable_key_whose_agents_are_gone_calls_none(
    tenant: TenantClient, database: Database
) -> None:
    agent_id = await tenant.published_agent()
    key = await tenant.publishable_key(allowed_agent_ids=[str(agent_id)])
    other_agent = await tenant.published_agent()
    async with database.system_session() as session:
        await session.execute(
            text("UPDATE api_keys SET allowed_agent_ids = :ids WHERE kind = 'publishable'"),
            {"ids": [uuid4()]},
        )
    assert await refused(tenant, body(other_agent), key) == (403, "key_scope_violation")


async def test_an_unknown_or_foreign_agent_is_404(
    tenant: TenantClient, other_tenant: TenantClient
) -> None:
    assert await refused(tenant, body(uuid4())) == (404, "agent_not_found")
    foreign = await other_tenant.published_agent()
    assert await refused(tenant, body(foreign)) == (404, "agent_not_found")


async def test_an_agent_that_was_never_published_is_409(
    tenant: TenantClient, database: Database
) -> None:
    await empty_account(database, tenant)
    assert await refused(tenant, body(await tenant.agent())) == (409, "agent_not_publish_ready")


async def test_a_provider_that_went_away_since_publishing_is_422_before_402(
    tenant: TenantClient, database: Database, app: FastAPI, settings: ControlPlaneSettings
) -> None:
    agent_id = await tenant.published_agent()
    await empty_account(database, tenant)
    app.state.settings = settings.model_copy(update={"offline_models": False})
    answer = await tenant.post("/v1/calls", body(agent_id))
    assert (answer.status_code, answer.json()["code"]) == (422, "provider_key_unavailable")
    assert answer.json()["channel"] == "stt"


async def test_without_credit_for_the_first_increment_it_is_402_and_nothing_is_kept(
    tenant: TenantClient, database: Database
) -> None:
    agent_id = await tenant.published_agent()
    await empty_account(database, tenant)
    assert await refused(tenant, body(agent_id)) == (402, "insufficient_credits")
    assert (await tenant.get("/v1/calls")).json()["total"] == 0


async def test_a_calls_own_post_call_settings_are_merged_into_its_plan(
    tenant: TenantClient, database: Database
) -> None:
    agent_id = await tenant.published_agent(
        post_call={"summary": {"prompt": "Briefly."}, "evaluation": {"rubric": "Polite?"}}
    )
    created = await create_call(tenant, agent_id, post_call={"summary": {"enabled": False}})
    async with database.tenant_session(tenant.tenant_id) as session:
        stored = await session.scalar(
            text("SELECT plan->'post_call' FROM calls WHERE id = :id"), {"id": created["id"]}
        )
    assert stored["summary"] == {"enabled": False, "prompt": "Briefly."}
    assert stored["evaluation"] == {"rubric": "Polite?"}


async def test_a_publish_after_the_call_was_created_does_not_change_its_plan(
    tenant: TenantClient, database: Database
) -> None:
    agent_id = await tenant.published_agent(system_prompt="First")
    created = await create_call(tenant, agent_id)
    await tenant.request("PATCH", f"/v1/agents/{agent_id}", json={"system_prompt": "Second"})
    assert (await tenant.post(f"/v1/agents/{agent_id}/publish")).status_code == 200
    async with database.tenant_session(tenant.tenant_id) as session:
        plan = await session.scalar(
            text("SELECT plan FROM calls WHERE id = :id"), {"id": created["id"]}
        )
    assert plan["agent_version"] == 1
    assert "First" in plan["compiled_prompt"]


async def test_variables_are_filled_into_the_prompt(
    tenant: TenantClient, database: Database
) -> None:
    agent_id = await tenant.published_agent(system_prompt="You call {{ name }}.")
    created = await create_call(tenant, agent_id, variables={"name": "Ada"})
    async with database.tenant_session(tenant.tenant_id) as session:
        prompt = await session.scalar(
            text("SELECT plan->>'compiled_prompt' FROM calls WHERE id = :id"),
            {"id": created["id"]},
        )
    assert "You call Ada." in prompt
    assert (await balance_of(tenant))["tenant_state"] == "has_calls"


async def test_a_schema_that_grows_when_it_is_applied_is_400(tenant: TenantClient) -> None:
    settings = {"structured_extraction": {"json_schema": doubled(20)}}
    answer = await tenant.post("/v1/calls", body(uuid4(), post_call=settings))
    assert answer.status_code == 400, answer.text
    [error] = answer.json()["errors"]
    assert error["field"] == "post_call.structured_extraction.json_schema"
    assert "references" in error["message"]

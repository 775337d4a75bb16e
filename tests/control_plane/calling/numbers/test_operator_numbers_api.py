"""The operator gives tenants numbers, changes what they have and takes them back."""

from __future__ import annotations

from typing import Any

import httpx2
import pytest
from sqlalchemy import select

from control_plane.platform.database import Database
from control_plane.platform.outbox.models import OutboxEvent
from control_plane.platform.settings import ControlPlaneSettings, DialingSettings
from tests.control_plane.conftest import OPERATOR, TenantClient
from tests.control_plane.linked import settings as linked_settings

__all__ = ["linked_settings"]

NUMBER = "+14155550100"


@pytest.fixture
def settings(linked_settings: ControlPlaneSettings) -> ControlPlaneSettings:
    dialing = DialingSettings(carriers=frozenset({"simulated"}))
    return linked_settings.model_copy(update={"dialing": dialing})


async def give(tenant: TenantClient, **fields: Any) -> httpx2.Response:
    return await tenant.http.post(
        f"/v1/operator/tenants/{tenant.tenant_id}/numbers",
        headers=OPERATOR,
        json={"number": NUMBER} | fields,
    )


async def numbers_of(tenant: TenantClient) -> list[dict[str, Any]]:
    answer = await tenant.http.get(
        f"/v1/operator/tenants/{tenant.tenant_id}/numbers", headers=OPERATOR
    )
    assert answer.status_code == 200, answer.text
    numbers: list[dict[str, Any]] = answer.json()["numbers"]
    return numbers


async def test_a_tenant_is_given_a_number(tenant: TenantClient) -> None:
    answer = await give(tenant, number="+1 (415) 555-0100", is_default=True)
    assert answer.status_code == 201, answer.text
    given = answer.json()
    assert (given["number"], given["carrier"]) == (NUMBER, "simulated")
    assert (given["is_managed"], given["is_default"]) == (True, True)
    assert given["tenant_id"] == str(tenant.tenant_id)
    assert await numbers_of(tenant) == [given]


async def test_giving_it_again_changes_it(tenant: TenantClient) -> None:
    first = (await give(tenant)).json()
    agent_id = str(await tenant.agent())
    answer = await give(tenant, agent_id=agent_id, max_concurrent_calls=3)
    assert answer.status_code == 200, answer.text
    changed = answer.json()
    assert changed["id"] == first["id"]
    assert (changed["agent_id"], changed["max_concurrent_calls"]) == (agent_id, 3)


async def test_a_number_that_gets_an_agent_is_told_once(
    tenant: TenantClient, database: Database
) -> None:
    agent_id = str(await tenant.agent(name="Nora"))
    for fields in ({}, {"agent_id": agent_id}, {"agent_id": agent_id, "is_default": True}):
        assert (await give(tenant, **fields)).is_success
    async with database.system_session() as session:
        (data,) = await session.scalars(
            select(OutboxEvent.data).where(OutboxEvent.event == "agent.number_assigned")
        )
    assert data["metadata"] == {"agent_id": agent_id, "number": NUMBER}


async def test_a_tenant_has_one_default_number(tenant: TenantClient) -> None:
    await give(tenant, is_default=True)
    await give(tenant, number="+14155550101", is_default=True)
    assert {each["number"]: each["is_default"] for each in await numbers_of(tenant)} == {
        NUMBER: False,
        "+14155550101": True,
    }


async def test_a_number_belongs_to_one_tenant(
    tenant: TenantClient, other_tenant: TenantClient
) -> None:
    await give(other_tenant)
    answer = await give(tenant)
    assert (answer.status_code, answer.json()["code"]) == (409, "number_taken")
    assert await numbers_of(tenant) == []


async def test_a_refused_number_does_not_take_the_default_from_another(
    tenant: TenantClient, other_tenant: TenantClient
) -> None:
    await give(tenant, number="+14155550101", is_default=True)
    await give(other_tenant)
    assert (await give(tenant, is_default=True)).status_code == 409
    assert [each["is_default"] for each in await numbers_of(tenant)] == [True]


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"number": "4155550100"}, "number"),
        ({"carrier": "nobody"}, "carrier"),
        ({"agent_id": "5f0c1f1e-0000-4000-8000-000000000000"}, "agent_id"),
        ({"max_concurrent_calls": 0}, "max_concurrent_calls"),
        ({"max_concurrent_calls": 10**30}, "max_concurrent_calls"),
        ({"colour": "red"}, "colour"),
    ],
)
async def test_what_is_wrong_is_named(
    tenant: TenantClient, fields: dict[str, Any], field: str
) -> None:
    answer = await give(tenant, **fields)
    assert answer.status_code == 400, answer.text
    assert answer.json()["errors"][0]["field"] == field


async def test_a_number_is_taken_back(tenant: TenantClient) -> None:
    await give(tenant)
    path = f"/v1/operator/tenants/{tenant.tenant_id}/numbers/%2B14155550100"
    answer = await tenant.http.delete(path, headers=OPERATOR)
    assert answer.json() == {"status": "removed", "number": NUMBER}
    assert await numbers_of(tenant) == []
    answer = await tenant.http.delete(path, headers=OPERATOR)
    assert (answer.status_code, answer.json()["code"]) == (404, "number_not_found")


async def test_deleting_an_agent_deletes_its_number_mappings(tenant: TenantClient) -> None:
    deleted, kept = await tenant.agent(), await tenant.agent()
    await give(tenant, agent_id=str(deleted))
    await give(tenant, number="+14155550101", agent_id=str(deleted), is_default=True)
    await give(tenant, number="+14155550102", agent_id=str(kept))
    assert (await tenant.request("DELETE", f"/v1/agents/{deleted}")).status_code == 200
    assert {each["number"]: each["agent_id"] for each in await numbers_of(tenant)} == {
        NUMBER: None,
        "+14155550101": None,
        "+14155550102": str(kept),
    }


async def test_a_refused_deletion_keeps_the_number_mappings(tenant: TenantClient) -> None:
    agent_id = await tenant.agent()
    await give(tenant, agent_id=str(agent_id))
    answer = await tenant.http.delete(
        f"/v1/agents/{agent_id}", headers=tenant.headers | {"If-Match": '"999"'}
    )
    assert answer.status_code == 412
    assert [each["agent_id"] for each in await numbers_of(tenant)] == [str(agent_id)]


async def test_an_unknown_tenant_is_said_to_be_unknown(tenant: TenantClient) -> None:
    path = "/v1/operator/tenants/5f0c1f1e-0000-4000-8000-000000000000/numbers"
    answer = await tenant.http.post(path, headers=OPERATOR, json={"number": NUMBER})
    assert (answer.status_code, answer.json()["code"]) == (404, "tenant_not_found")
    answer = await tenant.http.get(path, headers=OPERATOR)
    assert (answer.status_code, answer.json()["code"]) == (404, "tenant_not_found")


async def test_only_the_operator_gives_numbers(tenant: TenantClient) -> None:
    answer = await tenant.post(
        f"/v1/operator/tenants/{tenant.tenant_id}/numbers", {"number": NUMBER}
    )
    assert answer.status_code == 401

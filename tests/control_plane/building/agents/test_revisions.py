"""ETag and If-Match: nobody overwrites what they have not read, unless they want to."""

from __future__ import annotations

import asyncio
from uuid import UUID

import httpx2
import pytest

from tests.control_plane.conftest import TenantClient


async def tag_of(tenant: TenantClient, agent_id: UUID) -> str:
    return (await tenant.get(f"/v1/agents/{agent_id}")).headers["ETag"]


async def change(
    tenant: TenantClient, agent_id: UUID, if_match: str | None, **fields: object
) -> httpx2.Response:
    headers = tenant.headers | ({} if if_match is None else {"If-Match": if_match})
    return await tenant.http.patch(f"/v1/agents/{agent_id}", json=fields, headers=headers)


async def test_each_change_gives_a_new_tag_and_reading_none(tenant: TenantClient) -> None:
    agent_id = await tenant.agent()
    first = await tag_of(tenant, agent_id)
    assert await tag_of(tenant, agent_id) == first
    answer = await change(tenant, agent_id, first, name="Desk")
    assert (answer.status_code, answer.headers["ETag"] != first) == (200, True)
    assert await tag_of(tenant, agent_id) == answer.headers["ETag"]


async def test_an_update_that_changes_nothing_is_fine_and_keeps_the_tag(
    tenant: TenantClient,
) -> None:
    agent_id = await tenant.agent(name="Desk")
    before = await tenant.get(f"/v1/agents/{agent_id}")
    for fields in ({}, {"name": "Desk"}, {"provider_config": {"mode": "mine"}}):
        assert (await change(tenant, agent_id, None, **fields)).status_code == 200
    after = await tenant.get(f"/v1/agents/{agent_id}")
    assert (after.text, after.headers["ETag"]) == (before.text, before.headers["ETag"])


@pytest.mark.parametrize("stale", ['"0"', 'W/"1"', "1", '"1', "", "ü"])
async def test_another_tag_is_412_and_changes_nothing(tenant: TenantClient, stale: str) -> None:
    agent_id = await tenant.agent(name="Desk")
    headers = tenant.headers | {"If-Match": stale.encode("latin-1")}
    path = f"/v1/agents/{agent_id}"
    for answer in (
        await tenant.http.patch(path, json={"name": "x"}, headers=headers),
        await tenant.http.put(path, json={"name": "x"}, headers=headers),
        await tenant.http.delete(path, headers=headers),
    ):
        assert (answer.status_code, answer.json()["code"]) == (412, "precondition_failed")
    assert (await tenant.get(path)).json()["name"] == "Desk"


async def test_any_tag_or_one_of_several_will_do(tenant: TenantClient) -> None:
    agent_id = await tenant.agent()
    present = await tag_of(tenant, agent_id)
    assert (await change(tenant, agent_id, f'"x", {present}', name="a")).status_code == 200
    assert (await change(tenant, agent_id, "*", name="b")).status_code == 200


async def test_of_many_who_read_the_same_revision_one_writes(tenant: TenantClient) -> None:
    agent_id = await tenant.agent()
    read = await tag_of(tenant, agent_id)
    answers = await asyncio.gather(
        *(change(tenant, agent_id, read, name=f"Writer {number}") for number in range(8))
    )
    assert sorted(answer.status_code for answer in answers) == [200] + [412] * 7
    [winner] = [n for n, answer in enumerate(answers) if answer.status_code == 200]
    agent = (await tenant.get(f"/v1/agents/{agent_id}")).json()
    assert agent["name"] == f"Writer {winner}"


async def test_without_a_tag_writers_of_different_fields_do_not_lose_each_others(
    tenant: TenantClient,
) -> None:
    agent_id = await tenant.agent()
    fields = ["role", "toneOverride", "companyName", "companyDescription", "audienceDescription"]
    answers = await asyncio.gather(
        *(change(tenant, agent_id, None, persona={field: field}) for field in fields)
    )
    assert [answer.status_code for answer in answers] == [200] * len(fields)
    persona = (await tenant.get(f"/v1/agents/{agent_id}")).json()["persona"]
    assert {field: persona[field] for field in fields} == {field: field for field in fields}


async def test_publishing_changes_the_tag_as_well(tenant: TenantClient) -> None:
    agent_id = await tenant.agent()
    before = await tag_of(tenant, agent_id)
    await tenant.post(f"/v1/agents/{agent_id}/publish")
    assert await tag_of(tenant, agent_id) != before

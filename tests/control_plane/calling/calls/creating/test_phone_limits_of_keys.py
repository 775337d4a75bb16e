"""Publishable keys for phones: which countries they call, and how often a day."""

from __future__ import annotations

import asyncio
from typing import Any
from uuid import UUID

import httpx2
import pytest
from sqlalchemy import text

from control_plane.calling.numbers.models import Number
from control_plane.platform.database import Database
from control_plane.platform.settings import ControlPlaneSettings
from tests.control_plane.calling.dialing.phone import CALLEE, DIALING, OWN_NUMBER
from tests.control_plane.conftest import TenantClient
from tests.control_plane.linked import settings as linked_settings
from tests.stand_ins.simulated_carrier import NAME

__all__ = ["linked_settings"]

GERMAN, SATELLITE = "+4930901820", "+881612345678"


@pytest.fixture
def settings(linked_settings: ControlPlaneSettings) -> ControlPlaneSettings:
    return linked_settings.model_copy(update={"dialing": DIALING})


@pytest.fixture
async def agent_id(tenant: TenantClient, database: Database) -> UUID:
    async with database.system_session() as session:
        session.add(Number(tenant_id=tenant.tenant_id, number=OWN_NUMBER, carrier=NAME))
    return await tenant.published_agent()


async def phone_key(tenant: TenantClient, agent_id: UUID, **fields: Any) -> dict[str, Any]:
    wanted = {
        "name": "Page",
        "kind": "publishable",
        "allowed_channels": ["phone"],
        "phone_agent_id": str(agent_id),
    }
    answer = await tenant.post("/v1/api-keys", wanted | fields)
    assert answer.status_code == 201, answer.text
    made: dict[str, Any] = answer.json()
    return made


async def call(tenant: TenantClient, key: dict[str, Any], number: str = CALLEE) -> httpx2.Response:
    return await tenant.http.post(
        "/v1/calls",
        headers={"Authorization": f"Bearer {key['key']}"},
        json={"participants": [{"transport": "pstn", "identity": number}]},
    )


async def test_a_key_calls_numbers_of_its_countries_only(
    tenant: TenantClient, agent_id: UUID
) -> None:
    key = await phone_key(tenant, agent_id, phone_countries=["us"])
    assert key["phone_countries"] == ["US"]
    assert (await call(tenant, key)).status_code == 202
    for number, country in ((GERMAN, "in DE"), (SATELLITE, "of no country")):
        refused = await call(tenant, key, number)
        assert (refused.status_code, refused.json()["code"]) == (403, "key_scope_violation")
        assert country in refused.json()["detail"]

    everywhere = await phone_key(tenant, agent_id)
    assert everywhere["phone_countries"] is None
    allowed = {"allowed_countries": ["US", "DE"]}
    assert (await tenant.request("PUT", "/v1/phone-settings", json=allowed)).status_code == 200
    assert (await call(tenant, everywhere, GERMAN)).status_code == 202


async def test_a_key_starts_so_many_phone_calls_a_day(
    tenant: TenantClient, agent_id: UUID, database: Database
) -> None:
    key, other = [await phone_key(tenant, agent_id, phone_calls_per_day=3) for _ in range(2)]
    answers = await asyncio.gather(*(call(tenant, key) for _ in range(6)))
    assert sorted(answer.status_code for answer in answers) == [202, 202, 202, 429, 429, 429]
    refused = next(answer for answer in answers if answer.status_code == 429)
    problem = refused.json()
    assert (problem["code"], problem["limit"], problem["used"]) == ("phone_calls_used_up", 3, 3)
    assert 1 <= int(refused.headers["Retry-After"]) <= 24 * 3600
    assert (await call(tenant, other)).status_code == 202

    async with database.system_session() as session:
        await session.execute(text("UPDATE phone_calls_of_keys SET day = day - 1"))
    assert (await call(tenant, key)).status_code == 202


async def test_a_call_that_is_refused_does_not_count(tenant: TenantClient, agent_id: UUID) -> None:
    key = await phone_key(tenant, agent_id, phone_calls_per_day=1)
    listed = await tenant.post("/v1/do-not-call", {"number": GERMAN})
    assert listed.status_code == 201
    assert (await call(tenant, key, GERMAN)).status_code == 400
    assert (await call(tenant, key)).status_code == 202


async def test_the_owner_has_no_daily_limit(tenant: TenantClient, agent_id: UUID) -> None:
    key = await phone_key(tenant, agent_id, phone_calls_per_day=1)
    await call(tenant, key)
    answer = await tenant.post(
        "/v1/calls",
        {
            "agent_id": str(agent_id),
            "participants": [{"transport": "pstn", "identity": CALLEE}],
        },
    )
    assert answer.status_code == 202, answer.text


async def test_a_phone_key_has_a_daily_limit_unless_its_owner_removes_it(
    tenant: TenantClient, agent_id: UUID
) -> None:
    key = await phone_key(tenant, agent_id)
    assert key["phone_calls_per_day"] == 100
    path = f"/v1/api-keys/{key['id']}"
    unlimited = await tenant.request("PATCH", path, json={"phone_calls_per_day": None})
    assert unlimited.json()["phone_calls_per_day"] is None
    renamed = await tenant.request("PATCH", path, json={"name": "Renamed"})
    assert renamed.json()["phone_calls_per_day"] is None

    no_phone = {"allowed_channels": ["web"], "phone_agent_id": None}
    web = await tenant.request("PATCH", path, json=no_phone)
    assert (web.json()["phone_calls_per_day"], web.json()["phone_countries"]) == (None, None)
    phone_again = {"allowed_channels": ["phone"], "phone_agent_id": str(agent_id)}
    again = await tenant.request("PATCH", path, json=phone_again)
    assert again.json()["phone_calls_per_day"] == 100


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("phone_countries", ["Germany"]),
        ("phone_countries", ["001"]),
        ("phone_countries", []),
        ("phone_calls_per_day", 0),
    ],
)
async def test_a_limit_that_makes_no_sense_is_400(
    tenant: TenantClient, agent_id: UUID, field: str, value: object
) -> None:
    fields = {"allowed_channels": ["phone"], "phone_agent_id": str(agent_id), field: value}
    answer = await tenant.post("/v1/api-keys", {"name": "Page", "kind": "publishable"} | fields)
    assert answer.status_code == 400
    assert answer.json()["errors"][0]["field"].startswith(field)


@pytest.mark.parametrize(
    ("kind", "fields"),
    [
        ("publishable", {"phone_countries": ["US"]}),
        ("publishable", {"phone_calls_per_day": 5}),
        ("secret", {"phone_calls_per_day": 5}),
    ],
)
async def test_only_keys_for_phones_have_these_limits(
    tenant: TenantClient, kind: str, fields: dict[str, object]
) -> None:
    answer = await tenant.post("/v1/api-keys", {"name": "Page", "kind": kind} | fields)
    assert answer.status_code == 400
    assert answer.json()["errors"][0]["field"] == next(iter(fields))

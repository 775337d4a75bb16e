"""A new secret for the same key, while the old one works for as long as the caller chose."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest
from sqlalchemy import func, select, text

from control_plane.identity.api_keys.models import ApiKeySecret
from control_plane.platform.database import Database
from tests.control_plane.conftest import TenantClient

MONTH_SECONDS = 30 * 24 * 3600


async def made(tenant: TenantClient, **fields: Any) -> dict[str, Any]:
    answer = await tenant.post("/v1/api-keys", {"name": "Server", "kind": "secret"} | fields)
    assert answer.status_code == 201, answer.text
    key: dict[str, Any] = answer.json()
    return key


async def rotated(
    tenant: TenantClient, key: dict[str, Any], overlap_seconds: int
) -> dict[str, Any]:
    answer = await tenant.post(
        f"/v1/api-keys/{key['id']}/rotate", {"overlap_seconds": overlap_seconds}
    )
    assert answer.status_code == 200, answer.text
    new: dict[str, Any] = answer.json()
    return new


async def works(tenant: TenantClient, secret: str) -> bool:
    answer = await tenant.http.get("/v1/agents", headers={"Authorization": f"Bearer {secret}"})
    assert answer.status_code in (200, 401)
    return answer.status_code == 200


class Calendar:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def pass_by(self, seconds: int) -> None:
        """Move every secret's end into the past, as if time had passed."""
        async with self._database.system_session() as session:
            await session.execute(
                text("UPDATE api_key_secrets SET expires_at = expires_at - :time * interval '1 s'"),
                {"time": seconds},
            )


@pytest.fixture
def calendar(database: Database) -> Calendar:
    return Calendar(database)


async def test_the_key_stays_and_its_secret_changes(tenant: TenantClient) -> None:
    key = await made(tenant)
    new = await rotated(tenant, key, 0)
    assert new["status"] == "rotated"
    assert new["key"] != key["key"]
    assert new["hint"] != key["hint"]
    kept = ("id", "name", "kind", "allowed_channels", "allowed_origins", "created_at")
    assert {field: new[field] for field in kept} == {field: key[field] for field in kept}
    assert (await tenant.get("/v1/api-keys")).json()["total"] == 2


async def test_without_an_overlap_the_old_secret_ends_at_once(tenant: TenantClient) -> None:
    key = await made(tenant)
    answer = await tenant.post(f"/v1/api-keys/{key['id']}/rotate")
    assert answer.status_code == 200
    assert answer.json()["overlap_ends_at"] is None
    assert not await works(tenant, key["key"])
    assert await works(tenant, answer.json()["key"])


async def test_the_old_secret_works_until_the_overlap_ends(
    tenant: TenantClient, calendar: Calendar
) -> None:
    key = await made(tenant)
    new = await rotated(tenant, key, MONTH_SECONDS)
    assert await works(tenant, key["key"])

    await calendar.pass_by(MONTH_SECONDS - 60)
    assert await works(tenant, key["key"])
    await calendar.pass_by(60)
    assert not await works(tenant, key["key"])
    assert await works(tenant, new["key"])


async def test_the_end_of_the_overlap_is_shown_while_it_lasts(
    tenant: TenantClient, calendar: Calendar
) -> None:
    key = await made(tenant)
    before = datetime.now(UTC)
    new = await rotated(tenant, key, 3600)
    after = datetime.now(UTC)

    async def shown() -> list[str | None]:
        one = (await tenant.get(f"/v1/api-keys/{key['id']}")).json()
        listed = (await tenant.get("/v1/api-keys")).json()["api_keys"]
        [in_list] = [row for row in listed if row["id"] == key["id"]]
        return [one["overlap_ends_at"], in_list["overlap_ends_at"]]

    assert await shown() == [new["overlap_ends_at"]] * 2
    ends_at = datetime.fromisoformat(new["overlap_ends_at"])
    assert before + timedelta(hours=1) <= ends_at <= after + timedelta(hours=1)
    await calendar.pass_by(3600)
    assert await shown() == [None, None]


async def test_rotating_again_keeps_what_the_first_rotation_promised(
    tenant: TenantClient, calendar: Calendar
) -> None:
    first = await made(tenant)
    second = await rotated(tenant, first, 100)
    third = await rotated(tenant, first, 1_000)
    secrets = [key["key"] for key in (first, second, third)]
    assert [await works(tenant, secret) for secret in secrets] == [True, True, True]
    await calendar.pass_by(100)
    assert [await works(tenant, secret) for secret in secrets] == [False, True, True]
    await calendar.pass_by(900)
    assert [await works(tenant, secret) for secret in secrets] == [False, False, True]


async def test_rotating_again_in_a_hurry_ends_an_overlap_early(tenant: TenantClient) -> None:
    first = await made(tenant)
    second = await rotated(tenant, first, MONTH_SECONDS)
    third = await rotated(tenant, first, 0)
    secrets = [key["key"] for key in (first, second, third)]
    assert [await works(tenant, secret) for secret in secrets] == [False, False, True]


async def test_revoking_closes_every_secret_at_once(tenant: TenantClient) -> None:
    first = await made(tenant)
    second = await rotated(tenant, first, MONTH_SECONDS)
    await tenant.request("DELETE", f"/v1/api-keys/{first['id']}")
    assert not await works(tenant, first["key"])
    assert not await works(tenant, second["key"])
    shown = (await tenant.get(f"/v1/api-keys/{first['id']}")).json()
    assert (shown["overlap_ends_at"], shown["revoked_at"] is None) == (None, False)


async def test_rotations_at_the_same_time_leave_one_newest_secret(
    tenant: TenantClient, database: Database
) -> None:
    key = await made(tenant)
    answers = await asyncio.gather(*(rotated(tenant, key, 600) for _ in range(5)))
    for secret in (key, *answers):
        assert await works(tenant, secret["key"])
    async with database.system_session() as session:
        newest = await session.scalar(
            select(func.count())
            .select_from(ApiKeySecret)
            .where(ApiKeySecret.api_key_id == key["id"], ApiKeySecret.expires_at.is_(None))
        )
    assert newest == 1


async def test_a_key_may_rotate_itself(tenant: TenantClient) -> None:
    key = await made(tenant)
    answer = await tenant.http.post(
        f"/v1/api-keys/{key['id']}/rotate", headers={"Authorization": f"Bearer {key['key']}"}
    )
    assert answer.status_code == 200
    assert await works(tenant, answer.json()["key"])


async def test_a_publishable_key_keeps_its_scope(tenant: TenantClient) -> None:
    key = await made(tenant, kind="publishable", allowed_origins=["https://shop.example"])
    new = await rotated(tenant, key, 0)
    assert new["key"].startswith("sb_publishable_")
    assert new["allowed_origins"] == ["https://shop.example"]


@pytest.mark.parametrize("overlap_seconds", [-1, MONTH_SECONDS + 1, "soon", None, 1.5, 2**70])
async def test_a_wrong_overlap_is_400(tenant: TenantClient, overlap_seconds: object) -> None:
    key = await made(tenant)
    answer = await tenant.post(
        f"/v1/api-keys/{key['id']}/rotate", {"overlap_seconds": overlap_seconds}
    )
    assert answer.status_code == 400
    assert answer.json()["errors"][0]["field"] == "overlap_seconds"
    assert await works(tenant, key["key"])


async def test_there_must_be_a_key_to_rotate(tenant: TenantClient) -> None:
    answer = await tenant.post(f"/v1/api-keys/{uuid4()}/rotate")
    assert (answer.status_code, answer.json()["code"]) == (404, "api_key_not_found")
    key = await made(tenant)
    await tenant.request("DELETE", f"/v1/api-keys/{key['id']}")
    answer = await tenant.post(f"/v1/api-keys/{key['id']}/rotate")
    assert (answer.status_code, answer.json()["code"]) == (409, "api_key_revoked")

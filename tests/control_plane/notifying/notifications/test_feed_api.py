"""The feed, and who has read what."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

import pytest

from control_plane.notifying.notifications import repository
from control_plane.platform.database import Database
from tests.control_plane.conftest import TenantClient
from tests.control_plane.dashboard import DashboardClient, dashboard_client
from tests.control_plane.notifying.notifications.facts import read_facts, tell

FEED = "/v1/notifications"
Reader = TenantClient | DashboardClient


async def feed(reader: Reader, query: str = "") -> list[dict[str, object]]:
    answer = await reader.get(FEED + query)
    assert answer.status_code == 200, answer.text
    data: list[dict[str, object]] = answer.json()["data"]
    return data


async def read_state(reader: Reader) -> dict[str, object]:
    return {str(entry["id"]): entry["is_read"] for entry in await feed(reader)}


async def put(reader: Reader, path: str) -> None:
    answer = await reader.request("PUT", FEED + path)
    assert (answer.status_code, answer.json()) == (200, {"success": True})


async def delete(reader: Reader, path: str) -> None:
    answer = await reader.request("DELETE", FEED + path)
    assert (answer.status_code, answer.json()) == (200, {"success": True})


@pytest.fixture
async def tenant(tenant: TenantClient, database: Database) -> TenantClient:
    """Without what its opening has told."""
    await read_facts(database)
    await put(tenant, "/read-all")
    await delete(tenant, "/read")
    return tenant


async def test_a_fact_becomes_one_notification_with_the_facts_words(
    tenant: TenantClient, database: Database
) -> None:
    told = await tell(database, tenant.tenant_id, title="Nora failed", metadata={"reason": "x"})
    await read_facts(database)
    (entry,) = await feed(tenant)
    assert entry.pop("created_at")
    assert entry == {
        "id": str(told),
        "tenant_id": str(tenant.tenant_id),
        "event_category": "agent.failed",
        "title": "Nora failed",
        "message": "Nora failed.",
        "is_read": False,
        "metadata": {"reason": "x"},
    }


async def test_the_feed_comes_in_pages_newest_first(
    tenant: TenantClient, database: Database
) -> None:
    told = [await tell(database, tenant.tenant_id, title=f"{number}") for number in range(3)]
    page = (await tenant.get(f"{FEED}?limit=2&offset=1")).json()
    assert [entry["id"] for entry in page["data"]] == [str(told[1]), str(told[0])]
    assert (page["total"], page["offset"], page["limit"]) == (3, 1, 2)
    assert (await tenant.get(FEED)).json()["limit"] == 50


async def test_facts_that_are_no_notifications_make_none(
    tenant: TenantClient, database: Database
) -> None:
    await tell(database, tenant.tenant_id, "call.started")
    assert await feed(tenant) == []


async def test_reading_is_idempotent_and_unknown_ids_are_read_too(
    tenant: TenantClient, database: Database
) -> None:
    told = await tell(database, tenant.tenant_id)
    for _ in range(2):
        await put(tenant, f"/{told}/read")
    await put(tenant, f"/{uuid4()}/read")
    assert await read_state(tenant) == {str(told): True}
    assert await feed(tenant, "?unread_only=true") == []


async def test_each_user_reads_for_themselves_and_all_keys_for_the_tenant(
    tenant: TenantClient, database: Database
) -> None:
    first = await dashboard_client(tenant, database, "member")
    second = await dashboard_client(tenant, database, "owner")
    told = str(await tell(database, tenant.tenant_id))
    await put(first, f"/{told}/read")
    assert [(await read_state(reader))[told] for reader in (first, second, tenant)] == [
        True,
        False,
        False,
    ]
    other_key = (await tenant.post("/v1/api-keys", {"name": "Other", "kind": "secret"})).json()
    await put(TenantClient(tenant.tenant_id, other_key["key"], tenant.http), "/read-all")
    assert [(await read_state(reader))[told] for reader in (second, tenant)] == [False, True]


async def test_clearing_takes_what_was_read_from_the_readers_own_feed(
    tenant: TenantClient, database: Database
) -> None:
    member = await dashboard_client(tenant, database, "member")
    read = str(await tell(database, tenant.tenant_id))
    unread = str(await tell(database, tenant.tenant_id))
    await put(tenant, f"/{read}/read")
    await delete(tenant, "/read")
    assert list(await read_state(tenant)) == [unread]
    assert {read, unread} <= set(await read_state(member))


async def test_deleting_is_for_every_reader_and_idempotent(
    tenant: TenantClient, database: Database
) -> None:
    member = await dashboard_client(tenant, database, "member")
    told = str(await tell(database, tenant.tenant_id))
    for _ in range(2):
        await delete(tenant, f"/{told}")
    assert told not in await read_state(member)


async def test_another_tenants_notification_is_neither_read_nor_deleted(
    tenant: TenantClient, other_tenant: TenantClient, database: Database
) -> None:
    told = str(await tell(database, tenant.tenant_id))
    await put(other_tenant, f"/{told}/read")
    await delete(other_tenant, f"/{told}")
    assert await read_state(tenant) == {told: False}


async def test_a_category_that_is_not_wanted_in_app_is_left_out_for_that_reader(
    tenant: TenantClient, database: Database
) -> None:
    member = await dashboard_client(tenant, database, "member")
    told = str(await tell(database, tenant.tenant_id))
    hidden = {"event_category": "agent.failed", "in_app_enabled": False}
    answer = await member.request("PUT", f"{FEED}/preferences/me", json=hidden)
    assert answer.status_code == 200, answer.text
    assert told not in await read_state(member)
    assert told in await read_state(tenant)


async def test_notifications_are_deleted_after_their_time(
    tenant: TenantClient, database: Database
) -> None:
    told = await tell(database, tenant.tenant_id)
    async with database.system_session() as session:
        past = datetime.now(UTC) - timedelta(days=1)
        assert await repository.delete_older(session, past, 10) == 0
        later = datetime.now(UTC) + timedelta(seconds=5)
        assert await repository.delete_older(session, later, 10) >= 1
    assert told not in {UUID(key) for key in await read_state(tenant)}


@pytest.mark.parametrize("path", ["?limit=0", "?limit=201", "?unread_only=perhaps"])
async def test_a_wrong_query_is_400(tenant: TenantClient, path: str) -> None:
    assert (await tenant.get(FEED + path)).status_code == 400

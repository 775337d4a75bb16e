"""The do-not-call list over the API."""

from __future__ import annotations

import asyncio
from typing import Any

import httpx2
import pytest
from sqlalchemy import select

from control_plane.app import create_app
from control_plane.calling.do_not_call.repository import listed_numbers
from control_plane.platform.audit.models import AuditEntry
from control_plane.platform.database import Database
from control_plane.platform.settings import ControlPlaneSettings
from tests.control_plane.conftest import TenantClient, open_account
from tests.control_plane.dashboard import dashboard_client

A, B = "+14155550100", "+442079460000"


async def import_csv(
    tenant: TenantClient, content: str | bytes, *, content_type: str = "text/csv; charset=utf-8"
) -> httpx2.Response:
    headers = tenant.headers | {"Content-Type": content_type}
    return await tenant.http.post("/v1/do-not-call/import", headers=headers, content=content)


async def numbers_of(tenant: TenantClient, query: str = "") -> list[str]:
    answer = await tenant.get(f"/v1/do-not-call{query}")
    assert answer.status_code == 200, answer.text
    return [entry["number"] for entry in answer.json()["numbers"]]


async def test_an_entry_says_why_how_when_and_who(tenant: TenantClient) -> None:
    answer = await tenant.post(
        "/v1/do-not-call", {"number": "+1 (415) 555-0100", "reason": " Asked us "}
    )
    assert answer.status_code == 201
    entry = answer.json()
    assert (entry["number"], entry["reason"], entry["source"]) == (A, "Asked us", "api")
    assert (entry["added_by"]["kind"], entry["added_by"]["label"]) == ("secret_key", "First key")
    assert entry["created_at"]
    page = (await tenant.get("/v1/do-not-call")).json()
    assert page == {"numbers": [entry], "total": 1, "offset": 0, "limit": 50}


async def test_a_person_in_the_dashboard_adds_under_their_own_name(
    tenant: TenantClient, database: Database
) -> None:
    member = await dashboard_client(tenant, database, "member")
    answer = await member.post("/v1/do-not-call", {"number": A})
    assert (answer.status_code, answer.json()["source"]) == (201, "dashboard")
    assert answer.json()["added_by"] == {
        "kind": "user",
        "id": str(member.user_id),
        "label": member.email,
    }


async def test_a_number_that_is_listed_stays_as_it_is(tenant: TenantClient) -> None:
    first = await tenant.post("/v1/do-not-call", {"number": A, "reason": "first"})
    again = await tenant.post("/v1/do-not-call", {"number": A, "reason": "second"})
    assert (again.status_code, again.json()) == (200, first.json())


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "number"),
        ({"number": 4155550100}, "number"),
        ({"number": "4155550100"}, "number"),
        ({"number": "+1415"}, "number"),
        ({"number": "+" + "1" * 100}, "number"),
        ({"number": A, "reason": ""}, "reason"),
        ({"number": A, "reason": "x" * 501}, "reason"),
        ({"number": A, "source": "import"}, "source"),
    ],
)
async def test_a_wrong_entry_is_400(tenant: TenantClient, body: dict[str, Any], field: str) -> None:
    answer = await tenant.post("/v1/do-not-call", body)
    assert answer.status_code == 400
    assert answer.json()["errors"][0]["field"] == field


async def test_an_import_takes_what_it_can_and_says_what_came_of_the_rest(
    tenant: TenantClient,
) -> None:
    await tenant.post("/v1/do-not-call", {"number": A})
    answer = await import_csv(tenant, f"number,reason\n{A},again\n{B},Stop\n{B},Stop\nada,\n")
    assert answer.status_code == 200
    assert answer.json() == {
        "status": "imported",
        "added": 1,
        "already_listed": 2,
        "rejected": 1,
        "rejected_rows": [
            {
                "row": 5,
                "reason": "'ada' does not begin with '+' and a country code: +14155550100",
            }
        ],
    }
    entries = {
        entry["number"]: entry for entry in (await tenant.get("/v1/do-not-call")).json()["numbers"]
    }
    assert (entries[A]["source"], entries[A]["reason"]) == ("api", None)
    assert (entries[B]["source"], entries[B]["reason"]) == ("import", "Stop")


async def test_a_file_without_one_good_row_adds_nothing(tenant: TenantClient) -> None:
    answer = await import_csv(tenant, "phone\nada\n")
    assert (answer.status_code, answer.json()["added"], answer.json()["rejected"]) == (200, 0, 2)


async def test_fifty_thousand_rows_are_imported_at_once(settings: ControlPlaneSettings) -> None:
    patient = create_app(settings.model_copy(update={"request_deadline_seconds": 30.0}))
    transport = httpx2.ASGITransport(app=patient)
    async with (
        patient.router.lifespan_context(patient),
        httpx2.AsyncClient(transport=transport, base_url="http://switchboard.test") as http,
    ):
        await _import_fifty_thousand(await open_account(http))


async def _import_fifty_thousand(tenant: TenantClient) -> None:
    rows = "".join(f"+1415{number:07}\n" for number in range(2_000_000, 2_050_000))
    answer = await import_csv(tenant, rows)
    assert answer.status_code == 200, answer.text
    assert answer.json()["added"] == 50_000
    assert (await tenant.get("/v1/do-not-call?limit=1")).json()["total"] == 50_000


@pytest.mark.parametrize("content", [b"", b"\xff\xfe+\x001\x00", b'number\n"+1', b"caf\xe9"])
async def test_a_file_that_cannot_be_read_is_400(tenant: TenantClient, content: bytes) -> None:
    answer = await import_csv(tenant, content)
    assert answer.status_code == 400
    assert answer.json()["errors"][0]["field"] == "body"


async def test_a_file_that_is_not_csv_is_415(tenant: TenantClient) -> None:
    answer = await import_csv(tenant, A, content_type="application/json")
    assert (answer.status_code, answer.json()["code"]) == (415, "unsupported_media_type")


async def test_a_file_that_is_too_large_is_413(tenant: TenantClient) -> None:
    answer = await import_csv(tenant, b"\n" * 1_048_577)
    assert (answer.status_code, answer.json()["code"]) == (413, "body_too_large")


@pytest.mark.parametrize(
    ("search", "found"),
    [
        ("%2B1415", [A]),
        ("+1415", [A]),
        ("%2B1 (415)", [A]),
        ("55501", [A]),
        ("0000", [B]),
        ("%2B20", []),
        ("20", [B]),
        ("0", [A, B]),
        ("999", []),
    ],
)
async def test_a_search_takes_a_beginning_or_any_part(
    tenant: TenantClient, search: str, found: list[str]
) -> None:
    for number in (A, B):
        await tenant.post("/v1/do-not-call", {"number": number})
    answer = await tenant.get(f"/v1/do-not-call?search={search}")
    assert sorted(entry["number"] for entry in answer.json()["numbers"]) == found
    assert answer.json()["total"] == len(found)


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("search=ada", "search"),
        ("search=", "search"),
        ("search=%25", "search"),
        ("search=" + "1" * 65, "search"),
        ("limit=0", "limit"),
        ("limit=501", "limit"),
        ("offset=-1", "offset"),
    ],
)
async def test_a_wrong_query_is_400(tenant: TenantClient, query: str, field: str) -> None:
    answer = await tenant.get(f"/v1/do-not-call?{query}")
    assert answer.status_code == 400
    assert answer.json()["errors"][0]["field"] == field


async def test_pages_are_newest_first(tenant: TenantClient) -> None:
    for number in (A, B):
        await tenant.post("/v1/do-not-call", {"number": number})
    assert await numbers_of(tenant) == [B, A]
    assert await numbers_of(tenant, "?limit=1&offset=1") == [A]


async def test_a_removed_number_may_be_called_again(
    tenant: TenantClient, database: Database
) -> None:
    await tenant.post("/v1/do-not-call", {"number": A})
    answer = await tenant.request("DELETE", f"/v1/do-not-call/{A}")
    assert (answer.status_code, answer.json()) == (200, {"status": "removed", "number": A})
    async with database.tenant_session(tenant.tenant_id) as session:
        assert await listed_numbers(session, tenant.tenant_id, {A}) == set()

    answer = await tenant.request("DELETE", f"/v1/do-not-call/{A}")
    assert (answer.status_code, answer.json()["code"]) == (404, "do_not_call_number_not_found")
    answer = await tenant.request("DELETE", "/v1/do-not-call/4155550100")
    assert answer.status_code == 400


async def test_members_add_and_only_admins_import_and_remove(
    tenant: TenantClient, database: Database
) -> None:
    member = await dashboard_client(tenant, database, "member")
    csv = {"Content-Type": "text/csv"}
    added = await member.post("/v1/do-not-call", {"number": A})
    imported = await member.http.post(
        "/v1/do-not-call/import", headers=member.headers | csv, content=B.encode()
    )
    removed = await member.delete(f"/v1/do-not-call/{A}")
    assert [added.status_code, imported.status_code, removed.status_code] == [201, 403, 403]
    assert imported.json()["code"] == "role_required"


async def test_each_tenant_has_a_list_of_its_own(
    tenant: TenantClient, other_tenant: TenantClient, database: Database
) -> None:
    await tenant.post("/v1/do-not-call", {"number": A})
    await other_tenant.post("/v1/do-not-call", {"number": B})
    assert await numbers_of(tenant) == [A]
    async with database.system_session() as session:
        for owner, expected in ((tenant, {A}), (other_tenant, {B})):
            assert await listed_numbers(session, owner.tenant_id, [A, B]) == expected


async def test_adding_at_the_same_time_lists_a_number_once(tenant: TenantClient) -> None:
    answers = await asyncio.gather(
        *(tenant.post("/v1/do-not-call", {"number": A}) for _ in range(4)),
        *(import_csv(tenant, f"{B}\n{A}\n") for _ in range(2)),
        *(import_csv(tenant, f"{A}\n{B}\n") for _ in range(2)),
    )
    assert {answer.status_code for answer in answers} <= {200, 201}
    created = sum(answer.status_code == 201 for answer in answers)
    imported = sum(answer.json().get("added", 0) for answer in answers)
    assert created + imported == 2


async def test_every_change_is_in_the_audit_log(tenant: TenantClient, database: Database) -> None:
    await tenant.post("/v1/do-not-call", {"number": A})
    await tenant.post("/v1/do-not-call", {"number": A})
    await import_csv(tenant, f"{B}\n{A}\nada")
    await tenant.request("DELETE", f"/v1/do-not-call/{A}")
    async with database.system_session() as session:
        rows = await session.execute(
            select(AuditEntry.action, AuditEntry.target_id, AuditEntry.changes)
            .where(AuditEntry.action.like("do_not_call.%"))
            .order_by(AuditEntry.id)
        )
    assert [tuple(row) for row in rows] == [
        ("do_not_call.added", A, {}),
        ("do_not_call.imported", None, {"added": 1, "already_listed": 1, "rejected": 1}),
        ("do_not_call.removed", A, {}),
    ]

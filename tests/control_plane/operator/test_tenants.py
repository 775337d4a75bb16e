"""Finding and changing accounts."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest

from tests.control_plane.conftest import TenantClient
from tests.control_plane.conversation import create_call
from tests.control_plane.operator.conftest import OperatorClient, audit_log_of

PATH = "/tenants"


async def opened(operator: OperatorClient, name: str, email: str = "owner@example.com") -> str:
    made = await operator.ok("POST", PATH, {"name": name, "owner_email": email})
    return str(made["tenant_id"])


async def test_tenants_are_listed_newest_first_with_their_figures(
    operator: OperatorClient, tenant: TenantClient
) -> None:
    await create_call(tenant, await tenant.published_agent())
    newer = await opened(operator, "Newer")
    page = await operator.ok("GET", PATH)
    assert [found["id"] for found in page["tenants"]] == [newer, str(tenant.tenant_id)]
    assert (page["total"], page["limit"], page["offset"]) == (2, 50, 0)
    busy = page["tenants"][1]
    assert (busy["tier"], busy["plan_id"]) == ("free", "pay_as_you_go")
    assert (busy["agents"], busy["calls_last_30_days"], busy["balance_usd"]) == (1, 1, 10.0)
    assert busy["held_usd"] > 0
    assert busy["available_usd"] == pytest.approx(busy["balance_usd"] - busy["held_usd"])
    quiet = page["tenants"][0]
    assert (quiet["agents"], quiet["calls_last_30_days"], quiet["held_usd"]) == (0, 0, 0)


async def test_the_list_is_paged(operator: OperatorClient) -> None:
    ids = [await opened(operator, f"Number {number}") for number in range(3)]
    page = await operator.ok("GET", f"{PATH}?limit=1&offset=1")
    assert [found["id"] for found in page["tenants"]] == [ids[1]]
    assert page["total"] == 3


@pytest.mark.parametrize(
    ("search", "found"),
    [
        ("bright", ["Bright Smiles"]),
        ("MIA@", ["Bright Smiles"]),
        ("100%", ["100% Pizza"]),
        ("0% p", ["100% Pizza"]),
        ("%", ["100% Pizza"]),
        ("_", []),
        ("nobody", []),
    ],
)
async def test_search_finds_a_part_of_the_name_or_of_a_members_address(
    operator: OperatorClient, search: str, found: list[str]
) -> None:
    await opened(operator, "Bright Smiles", "mia@example.com")
    await opened(operator, "100% Pizza", "joe@example.com")
    answer = await operator.http.get(
        "/v1/operator/tenants",
        params={"search": search},
        headers={"Authorization": "Bearer operator-token-of-the-tests"},
    )
    assert [tenant["name"] for tenant in answer.json()["tenants"]] == found
    assert answer.json()["total"] == len(found)


async def test_search_finds_the_id(operator: OperatorClient, tenant: TenantClient) -> None:
    await opened(operator, "Another")
    page = await operator.ok("GET", f"{PATH}?search={tenant.tenant_id}")
    assert [found["id"] for found in page["tenants"]] == [str(tenant.tenant_id)]


async def test_one_tenant_is_shown_with_its_owners_and_calls(
    operator: OperatorClient, tenant: TenantClient
) -> None:
    await create_call(tenant, await tenant.published_agent())
    shown = await operator.ok("GET", f"{PATH}/{tenant.tenant_id}")
    assert shown["owner_emails"] == ["owner@example.com"]
    assert (shown["calls"], shown["running_calls"], shown["agents"]) == (1, 1, 1)


async def test_a_change_is_partial_and_stands_in_the_tenants_audit_log(
    operator: OperatorClient, tenant: TenantClient
) -> None:
    await operator.ok("POST", "/plans", {"id": "growth", "display_name": "Growth"})
    path = f"{PATH}/{tenant.tenant_id}"
    before = await operator.ok("GET", path)
    changed = await operator.ok("PATCH", path, {"tier": "enterprise", "plan_id": "growth"})
    assert changed == before | {"tier": "enterprise", "plan_id": "growth"}
    assert await operator.ok("GET", path) == changed
    [change, opening] = await audit_log_of(tenant)
    assert (change["action"], opening["action"]) == ("tenant.updated", "tenant.created")
    assert change["changes"] == {
        "tier": ["free", "enterprise"],
        "plan_id": ["pay_as_you_go", "growth"],
    }
    assert change["request_id"]


async def test_a_change_to_what_is_there_already_leaves_no_trace(
    operator: OperatorClient, tenant: TenantClient
) -> None:
    await operator.ok("PATCH", f"{PATH}/{tenant.tenant_id}", {"tier": "free"})
    await operator.ok("PATCH", f"{PATH}/{tenant.tenant_id}", {})
    assert [entry["action"] for entry in await audit_log_of(tenant)] == ["tenant.created"]


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"tier": "gold"}, "tier"),
        ({"tier": None}, "tier"),
        ({"name": " "}, "name"),
        ({"name": None}, "name"),
        ({"plan_id": "no_such_plan"}, "plan_id"),
        ({"plan_id": "No plan"}, "plan_id"),
        ({"balance_usd": 5}, "balance_usd"),
    ],
)
async def test_a_wrong_change_is_400_and_names_the_field(
    operator: OperatorClient, tenant: TenantClient, body: dict[str, Any], field: str
) -> None:
    answer = await operator.request("PATCH", f"{PATH}/{tenant.tenant_id}", body)
    assert answer.status_code == 400, answer.text
    assert answer.json()["errors"][0]["field"] == field


async def test_an_unknown_tenant_is_404(operator: OperatorClient) -> None:
    path = f"{PATH}/{uuid4()}"
    expected = (404, "tenant_not_found")
    assert await operator.refused("GET", path) == expected
    assert await operator.refused("PATCH", path, {"tier": "free"}) == expected
    grant = {"amount_usd": 1, "description": "x"}
    assert await operator.refused("POST", f"{path}/credits", grant) == expected


@pytest.mark.parametrize("query", ["limit=0", "limit=201", "offset=-1", "search=", "offset=1e3"])
async def test_a_wrong_page_is_400(operator: OperatorClient, query: str) -> None:
    assert await operator.refused("GET", f"{PATH}?{query}") == (400, "invalid_request")


@pytest.mark.parametrize(
    ("method", "path", "content"),
    [
        ("GET", "/tenants?search=%00", None),
        ("GET", f"/tenants?offset={10**30}", None),
        ("PATCH", "/tenants/{id}", '{"name": "\\u0000"}'),
        ("PATCH", "/tenants/{id}", '{"name": "\\ud800"}'),
        ("PATCH", "/tenants/{id}", "[" * 5000),
        ("POST", "/tenants/{id}/credits", '{"amount_usd": 1e400, "description": "x"}'),
        ("POST", "/tenants/{id}/credits", '{"amount_usd": "1e99999", "description": "x"}'),
        ("POST", "/tenants/{id}/credits", '{"amount_usd": NaN, "description": "x"}'),
        ("POST", "/tenants/{id}/credits", '{"amount_usd": "sNaN", "description": "x"}'),
        ("POST", "/tenants/{id}/credits", '{"amount_usd": 1%s, "description": "x"}' % ("0" * 5000)),
        ("POST", "/plans", '{"id": "a", "display_name": "x", "monthly_credit_usd": 1e300}'),
        ("PUT", "/platform", '{"calls_enabled": true, "message": "\\u0000"}'),
        ("GET", "/tenants/no-uuid", None),
    ],
    ids=ascii,
)
async def test_hostile_input_is_400(
    operator: OperatorClient, tenant: TenantClient, method: str, path: str, content: str | None
) -> None:
    answer = await operator.http.request(
        method,
        "/v1/operator" + path.replace("{id}", str(tenant.tenant_id)),
        headers={
            "Authorization": "Bearer operator-token-of-the-tests",
            "Content-Type": "application/json",
        },
        content=content,
    )
    assert answer.status_code == 400, answer.text

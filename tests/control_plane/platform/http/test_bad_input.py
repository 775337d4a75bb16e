"""No input gives a 5xx: each of these is refused clearly, and says what would be right."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import httpx2
import pytest

from tests.control_plane.conftest import OPERATOR, TenantClient

JSON = {"Content-Type": "application/json"}


async def refused(
    tenant: TenantClient, body: bytes, *, content_type: str | None = "application/json"
) -> dict[str, Any]:
    headers = tenant.headers | ({"Content-Type": content_type} if content_type else {})
    answer = await tenant.http.post("/v1/agents", content=body, headers=headers)
    assert answer.headers["content-type"] == "application/problem+json"
    problem: dict[str, Any] = answer.json()
    assert problem["status"] == answer.status_code
    return problem


@pytest.mark.parametrize(
    ("body", "field", "message"),
    [
        (b'{"name": ', "body", "not valid JSON at character 9"),
        (b"{'name': 'x'}", "body", "not valid JSON at character 1"),
        (b"\xff\xfe\x00", "body", "JSON"),
        (b"[" * 100_000, "body", "JSON"),
        (b"[]", "body", "must be an object"),
        (b"null", "body", "must be an object"),
        (b"", "body", "required"),
        (b"{}", "name", "required"),
        (b'{"name": 5}', "name", "must be a string"),
        (b'{"name": ""}', "name", "at least 1 character"),
        (b'{"name": "x", "nmae": "y"}', "nmae", "not a field"),
        (b'{"name": "a\\u0000b"}', "name", "U+0000"),
        (b'{"name": "x", "tools": [{"a": {"b": "\\u0000"}}]}', "tools[0].a.b", "U+0000"),
        (b'{"name": "x", "tools": [{"\\u0000": 1}]}', "tools[0]", "U+0000"),
        (b'{"name": "\\ud800"}', "name", "surrogate"),
        (b'{"name": "x", "tools": [{"a": NaN}]}', "tools[0].a", "finite"),
        (b'{"name": "x", "tools": [{"a": 1e999}]}', "tools[0].a", "finite"),
        (b'{"name": "x", "tools": [{"a": 1' + b"0" * 1000 + b"}]}", "tools[0].a", "64 bits"),
        (b'{"name": "x", "tools": [' + b'{"a":' * 99 + b"1" + b"}" * 99 + b"]}", None, "deeper"),
        (b'{"name": "x", "language": "english"}', "language", "BCP-47"),
        (b'{"name": "x", "language": "tlh"}', "language", "cannot be served"),
        (b'{"name": "x", "llm_model": "none-such"}', "llm_model", "none-such"),
        (b'{"name": "x", "agent_kind": "robot"}', "agent_kind", "'custom' or 'managed'"),
        (b'{"name": "x", "agent_kind": "managed"}', "managed_sku_id", "is required"),
        (
            b'{"name": "x", "agent_kind": "managed", "managed_sku_id": "s"}',
            "managed_sku_id",
            "managed SKU s is not in the catalogue",
        ),
        (
            b'{"name": "x", "advanced": {"maxCallDuration": 99999999999999999999}}',
            "advanced.maxCallDuration",
            "64 bits",
        ),
        (
            b'{"name": "x", "persona": {"voiceConfig": 7}}',
            "persona.voiceConfig",
            "must be an object",
        ),
    ],
)
async def test_a_wrong_body_is_400_and_names_the_field(
    tenant: TenantClient, body: bytes, field: str | None, message: str
) -> None:
    problem = await refused(tenant, body)

    assert problem["code"] == "invalid_request"
    assert problem["status"] == 400
    error = problem["errors"][0]
    assert message in error["message"]
    assert field is None or error["field"] == field


@pytest.mark.parametrize("content_type", ["text/plain", "application/xml", "", None])
async def test_a_body_that_is_not_json_is_415(
    tenant: TenantClient, content_type: str | None
) -> None:
    problem = await refused(tenant, b'{"name": "x"}', content_type=content_type)
    assert (problem["status"], problem["code"]) == (415, "unsupported_media_type")


async def test_json_with_more_values_than_any_route_takes_is_not_parsed(
    tenant: TenantClient,
) -> None:
    problem = await refused(tenant, b"[" + b"1," * 20_001)
    assert (problem["status"], problem["code"]) == (400, "invalid_request")
    assert problem["errors"] == [
        {
            "field": "body",
            "message": "must have at most 20,000 commas, between its values and in its texts",
        }
    ]
    parsed = await refused(tenant, b"[" + b"1," * 20_000)
    assert "not valid JSON" in parsed["errors"][0]["message"]


async def test_a_body_of_20_mb_is_413(tenant: TenantClient) -> None:
    problem = await refused(tenant, b" " * 20_000_000)
    assert (problem["status"], problem["code"]) == (413, "body_too_large")


async def test_a_body_of_the_largest_size_is_taken(tenant: TenantClient) -> None:
    body = b'{"name": "x"}'
    answer = await tenant.http.post(
        "/v1/agents", content=body + b" " * (1_048_576 - len(body)), headers=tenant.headers | JSON
    )
    assert answer.status_code == 201


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("limit=0", "limit"),
        ("limit=501", "limit"),
        ("limit=ten", "limit"),
        ("offset=-1", "offset"),
        ("offset=1000001", "offset"),
        ("offset=9223372036854775808", "offset"),
        ("limit=%00", "limit"),
    ],
)
async def test_a_wrong_query_is_400_and_names_the_parameter(
    tenant: TenantClient, query: str, field: str
) -> None:
    answer = await tenant.get(f"/v1/agents?{query}")
    assert answer.status_code == 400
    assert answer.json()["errors"][0]["field"] == field


async def test_the_largest_offset_is_an_empty_page(tenant: TenantClient) -> None:
    await tenant.agent()
    answer = await tenant.get("/v1/agents?offset=1000000")
    assert (answer.status_code, answer.json()["agents"], answer.json()["total"]) == (200, [], 1)


@pytest.mark.parametrize("agent_id", ["1", "%00", "not-a-uuid", "%F0%9F"])
async def test_an_id_that_is_none_is_400(tenant: TenantClient, agent_id: str) -> None:
    answer = await tenant.get(f"/v1/agents/{agent_id}")
    assert answer.status_code == 400
    assert answer.json()["errors"][0]["field"] == "agent_id"


async def test_an_unknown_id_is_404(tenant: TenantClient) -> None:
    answer = await tenant.get(f"/v1/agents/{uuid4()}")
    assert (answer.status_code, answer.json()["code"]) == (404, "agent_not_found")


async def test_an_unknown_address_is_404(http: httpx2.AsyncClient) -> None:
    answer = await http.get("/v1/nothing/here")
    assert (answer.status_code, answer.json()["code"]) == (404, "not_found")


async def test_a_wrong_method_is_405_and_says_what_the_address_takes(
    http: httpx2.AsyncClient,
) -> None:
    answer = await http.put("/v1/agents")
    assert (answer.status_code, answer.json()["code"]) == (405, "method_not_allowed")
    assert answer.headers["allow"] == "GET, POST"


@pytest.mark.parametrize(
    "header",
    [
        {},
        {"Authorization": ""},
        {"Authorization": "Bearer"},
        {"Authorization": "Bearer "},
        {"Authorization": "Bearer nonsense"},
        {"Authorization": "Basic c2I6c2I="},
        {"Authorization": "Bearer sb_secret_" + "A" * 43},
        {"Authorization": "Bearer " + "A" * 10_000},
        {"Authorization": "Bearer sb_secret_\xff\xfe".encode("latin-1")},
        OPERATOR,
    ],
)
async def test_a_missing_or_wrong_key_is_401(
    http: httpx2.AsyncClient, header: dict[str, str]
) -> None:
    answer = await http.get("/v1/agents", headers=header)
    assert (answer.status_code, answer.json()["code"]) == (401, "unauthorized")
    assert answer.headers["www-authenticate"] == "Bearer"


async def test_a_foreign_operator_token_is_401(tenant: TenantClient) -> None:
    for token in (tenant.headers, {"Authorization": "Bearer operatör".encode()}):
        answer = await tenant.http.post(
            "/v1/operator/tenants",
            headers=token,
            json={"name": "Mine", "owner_email": "me@example.com"},
        )
        assert answer.status_code == 401

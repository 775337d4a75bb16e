"""Every response carries a request id, and problems repeat it."""

from __future__ import annotations

import httpx2
import pytest
import structlog
from fastapi import FastAPI
from structlog.testing import capture_logs

from tests.control_plane.conftest import TenantClient


async def test_a_plain_id_of_the_client_is_echoed(http: httpx2.AsyncClient) -> None:
    answer = await http.get("/healthz", headers={"X-Request-Id": "order-66.a"})
    assert answer.headers["x-request-id"] == "order-66.a"


@pytest.mark.parametrize("sent", ["", "a b", "x" * 129, '"quoted"', "a,b"])
async def test_any_other_id_is_replaced(http: httpx2.AsyncClient, sent: str) -> None:
    answer = await http.get("/healthz", headers={"X-Request-Id": sent})
    assert answer.headers["x-request-id"] not in ("", sent)


async def test_a_problem_repeats_the_id(http: httpx2.AsyncClient) -> None:
    answer = await http.get("/nowhere", headers={"X-Request-Id": "abc"})
    assert answer.json()["request_id"] == "abc"
    assert answer.headers["x-request-id"] == "abc"


async def test_a_bug_is_a_500_problem_with_an_id_and_no_detail_of_ours(app: FastAPI) -> None:
    @app.get("/bug")
    async def bug() -> None:
        raise RuntimeError("the inside of the program")

    transport = httpx2.ASGITransport(app=app)
    async with httpx2.AsyncClient(transport=transport, base_url="http://switchboard.test") as http:
        answer = await http.get("/bug", headers={"X-Request-Id": "abc"})

    assert answer.status_code == 500
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["code"] == "internal_error"
    assert answer.json()["request_id"] == "abc"
    assert "inside" not in answer.text


async def test_a_page_of_another_origin_may_call_with_its_key(http: httpx2.AsyncClient) -> None:
    answer = await http.options(
        "/v1/agents",
        headers={
            "Origin": "https://shop.example",
            "Access-Control-Request-Method": "POST",
            "Access-Control-Request-Headers": "authorization, content-type",
        },
    )
    assert answer.status_code == 200
    assert answer.headers["access-control-allow-origin"] == "*"
    assert "authorization" in answer.headers["access-control-allow-headers"].lower()

    refused = await http.get("/v1/agents", headers={"Origin": "https://shop.example"})
    assert refused.status_code == 401
    assert refused.headers["access-control-allow-origin"] == "*"


async def test_the_log_line_of_a_request_names_its_call(tenant: TenantClient) -> None:
    agent_id = await tenant.published_agent()
    participant = {"transport": "webrtc", "identity": "caller"}
    body = {"agent_id": str(agent_id), "participants": [participant]}
    with capture_logs(processors=[structlog.contextvars.merge_contextvars]) as logs:
        call_id = (await tenant.post("/v1/calls", body)).json()["id"]
        await tenant.get(f"/v1/calls/{call_id}")
        await tenant.get("/v1/agents")
    requests = [entry.get("call_id") for entry in logs if entry["event"] == "request"]
    assert requests == [call_id, call_id, None]


@pytest.mark.parametrize(
    ("path", "logged"),
    [
        ("/v1/do-not-call/+4915112345678", "/v1/do-not-call/{number}"),
        ("/v1/do-not-call/%2B4915112345678", "/v1/do-not-call/{number}"),
        ("/v1/do-not-call/tel:+4915112345678", "/v1/do-not-call/{number}"),
        (
            "/v1/operator/tenants/a-b/numbers/+4915112345678",
            "/v1/operator/tenants/a-b/numbers/{phone_number}",
        ),
        ("/v1/nothing/+4915112345678/more", "/v1/nothing/{number}/more"),
        ("/v1/nothing/0151 1234-5678", "/v1/nothing/{number}"),
        ("/v1/calls/12345678-1234-1234-1234-123456789012", None),
        ("/v1/agents/7", None),
    ],
)
async def test_no_phone_number_stands_in_a_logged_path(
    tenant: TenantClient, path: str, logged: str | None
) -> None:
    with capture_logs() as logs:
        await tenant.request("DELETE", path)
    assert [entry["path"] for entry in logs if entry["event"] == "request"] == [logged or path]
    assert logged is None or "5678" not in str(logs)


@pytest.mark.parametrize(
    ("path", "logged"),
    [
        ("/s/TOKEN", "/s/{share_token}"),
        ("/s/TOKEN/", "/s/{share_token}/"),
        ("/v1/shared/TOKEN", "/v1/shared/{share_token}"),
        ("/v1/shared/TOKEN/nothing/here", "/v1/shared/{share_token}/nothing/here"),
    ],
)
async def test_no_token_of_a_link_stands_in_a_logged_path_whatever_the_answer(
    http: httpx2.AsyncClient, path: str, logged: str
) -> None:
    with capture_logs() as logs:
        await http.get(path)
    assert [entry["path"] for entry in logs if entry["event"] == "request"] == [logged]
    assert "TOKEN" not in str(logs)

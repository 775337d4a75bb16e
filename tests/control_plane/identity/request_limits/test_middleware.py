"""The limits as a client sees them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx2
import pytest

from control_plane.app import create_app
from control_plane.platform.settings import ControlPlaneSettings
from tests.control_plane.conftest import open_account
from tests.control_plane.identity.request_limits.outages import interrupt
from tests.runtime.valkey_process import ValkeyProcess

UNAUTHORIZED = {"Authorization": "Bearer nobody"}


@asynccontextmanager
async def serving(
    settings: ControlPlaneSettings, **limits: Any
) -> AsyncIterator[httpx2.AsyncClient]:
    wanted = {
        "requests_per_minute_per_key": 3,
        "requests_per_minute_per_address": 0,
        # A busy machine must not lift the limits that these tests look for.
        "request_counting_deadline_seconds": 2.0,
    } | limits
    app = create_app(settings.model_copy(update=wanted))
    transport = httpx2.ASGITransport(app=app)
    async with (
        app.router.lifespan_context(app),
        httpx2.AsyncClient(transport=transport, base_url="http://switchboard.test") as http,
    ):
        yield http


async def test_beyond_the_limit_of_a_key_it_is_429(settings: ControlPlaneSettings) -> None:
    async with serving(settings) as http:
        tenant = await open_account(http)
        other = await open_account(http)
        answers = [await tenant.get("/v1/agents") for _ in range(4)]
        assert [answer.status_code for answer in answers] == [200, 200, 200, 429]
        assert (await other.get("/v1/agents")).status_code == 200

    problem = answers[-1].json()
    assert problem["code"] == "rate_limited"
    assert (problem["policy"], problem["limit"], problem["used"]) == ("key", 3, 3)
    assert answers[-1].headers["content-type"] == "application/problem+json"
    assert problem["request_id"] == answers[-1].headers["x-request-id"]
    assert 1 <= int(answers[-1].headers["retry-after"]) <= 120


async def test_one_visitor_of_a_page_does_not_use_up_its_publishable_key(
    settings: ControlPlaneSettings,
) -> None:
    async with serving(settings, requests_per_minute_per_key=20) as http:
        page = await (await open_account(http)).publishable_key()

        async def visit(address: str) -> httpx2.Response:
            headers = page | {"X-Forwarded-For": address}
            return await http.get("/v1/agents", headers=headers)

        loud = [await visit("203.0.113.7") for _ in range(30)]
        quiet = await visit("203.0.113.8")
    assert [answer.status_code for answer in loud] == [403] * 4 + [429] * 26
    assert loud[-1].json()["policy"] == "visitor"
    assert quiet.status_code == 403


async def test_every_limited_answer_says_what_is_left(settings: ControlPlaneSettings) -> None:
    async with serving(settings, requests_per_minute_per_address=9) as http:
        answers = [await http.get("/v1/agents", headers=UNAUTHORIZED) for _ in range(4)]

    assert [answer.status_code for answer in answers] == [401, 401, 401, 429]
    for answer in answers:
        assert answer.headers["ratelimit-policy"] == '"key";q=3;w=60, "address";q=9;w=60'
    quotas = [answer.headers["ratelimit"].split(", ") for answer in answers]
    assert [key.split(";")[1] for key, _ in quotas] == ["r=2", "r=1", "r=0", "r=0"]
    assert [address.split(";")[1] for _, address in quotas] == ["r=8", "r=7", "r=6", "r=6"]


async def test_an_address_is_limited_without_any_key(settings: ControlPlaneSettings) -> None:
    async with serving(settings, requests_per_minute_per_address=2) as http:
        answers = [await http.get("/v1/agents") for _ in range(3)]
    assert [answer.status_code for answer in answers] == [401, 401, 429]
    assert answers[-1].json()["policy"] == "address"


async def test_health_files_and_preflights_are_not_limited(settings: ControlPlaneSettings) -> None:
    preflight = {"Origin": "https://shop.example", "Access-Control-Request-Method": "POST"}
    async with serving(settings, requests_per_minute_per_address=1) as http:
        for _ in range(3):
            for path in ("/healthz", "/readyz", "/call", "/openapi.json"):
                answer = await http.get(path)
                assert answer.status_code == 200
                assert "ratelimit" not in answer.headers
            assert (await http.options("/v1/calls", headers=preflight)).status_code == 200


async def test_a_web_page_can_read_the_limits(settings: ControlPlaneSettings) -> None:
    async with serving(settings) as http:
        for _ in range(4):
            answer = await http.get(
                "/v1/agents", headers=UNAUTHORIZED | {"Origin": "https://shop.example"}
            )
    assert answer.status_code == 429
    assert answer.headers["access-control-allow-origin"] == "*"
    exposed = {name.strip() for name in answer.headers["access-control-expose-headers"].split(",")}
    assert exposed >= {"RateLimit", "RateLimit-Policy", "Retry-After"}


async def test_zero_sets_no_limit(settings: ControlPlaneSettings) -> None:
    async with serving(settings, requests_per_minute_per_key=0) as http:
        answers = [await http.get("/v1/agents", headers=UNAUTHORIZED) for _ in range(5)]
    assert {answer.status_code for answer in answers} == {401}
    assert "ratelimit" not in answers[-1].headers


@pytest.mark.parametrize("outage", ["killed", "hanging"])
async def test_without_valkey_the_process_counts_by_itself(
    settings: ControlPlaneSettings, valkey: ValkeyProcess, outage: str
) -> None:
    own = settings.model_copy(update={"redis_url": valkey.url})
    async with serving(own) as http:
        answers = [await http.get("/v1/agents", headers=UNAUTHORIZED) for _ in range(4)]
        assert answers[-1].status_code == 429

        await interrupt(valkey, outage)
        answers = [await http.get("/v1/agents", headers=UNAUTHORIZED) for _ in range(10)]
        other = await http.get("/v1/agents", headers={"Authorization": "Bearer another"})

    assert [answer.status_code for answer in answers] == [401] * 3 + [429] * 7
    assert (answers[-1].json()["code"], answers[-1].json()["policy"]) == ("rate_limited", "key")
    assert 1 <= int(answers[-1].headers["retry-after"]) <= 60
    assert other.status_code == 401
    assert "ratelimit" not in other.headers

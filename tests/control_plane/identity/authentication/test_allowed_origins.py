"""A publishable key that is confined to web pages works on those only."""

from __future__ import annotations

from uuid import uuid4

import pytest

from tests.control_plane.conftest import TenantClient

ALLOWED = "https://shop.example"


async def status_of(
    tenant: TenantClient, key: dict[str, str], origin: str | None
) -> tuple[int, str]:
    """What a call to an agent that does not exist is refused with."""
    headers = key | ({} if origin is None else {"Origin": origin})
    body = {"agent_id": str(uuid4()), "participants": [{"transport": "webrtc", "identity": "ada"}]}
    answer = await tenant.http.post("/v1/calls", headers=headers, json=body)
    return answer.status_code, answer.json()["code"]


async def test_the_listed_pages_may_use_it(tenant: TenantClient) -> None:
    key = await tenant.publishable_key(
        allowed_origins=["HTTPS://Shop.example:443/", "http://[::1]"]
    )
    for origin in (ALLOWED, "http://[::1]"):
        assert await status_of(tenant, key, origin) == (404, "agent_not_found")


@pytest.mark.parametrize(
    "origin",
    [
        None,
        "",
        "null",
        "http://shop.example",
        "https://shop.example:8443",
        "https://shop.example.evil.example",
        "https://evil-shop.example",
        "https://www.shop.example",
        "https://shop.example/",
        "https://shop.example, https://evil.example",
    ],
)
async def test_no_other_may(tenant: TenantClient, origin: str | None) -> None:
    key = await tenant.publishable_key(allowed_origins=[ALLOWED])
    assert await status_of(tenant, key, origin) == (403, "origin_not_allowed")


async def test_a_wrong_page_comes_before_a_wrong_request(tenant: TenantClient) -> None:
    key = await tenant.publishable_key(allowed_origins=[ALLOWED])
    answer = await tenant.http.post("/v1/calls", headers=key, json={})
    assert (answer.status_code, answer.json()["code"]) == (403, "origin_not_allowed")


async def test_without_a_list_any_page_and_any_program_may(tenant: TenantClient) -> None:
    key = await tenant.publishable_key()
    for origin in (None, "null", "https://anywhere.example"):
        assert await status_of(tenant, key, origin) == (404, "agent_not_found")


async def test_a_secret_key_is_not_confined_to_pages(tenant: TenantClient) -> None:
    assert await status_of(tenant, tenant.headers, "https://anywhere.example") == (
        404,
        "agent_not_found",
    )


async def test_a_change_of_the_list_counts_from_the_next_request_on(tenant: TenantClient) -> None:
    made = await tenant.post("/v1/api-keys", {"name": "Page", "kind": "publishable"})
    key = {"Authorization": f"Bearer {made.json()['key']}"}
    assert await status_of(tenant, key, None) == (404, "agent_not_found")
    await tenant.request(
        "PATCH", f"/v1/api-keys/{made.json()['id']}", json={"allowed_origins": [ALLOWED]}
    )
    assert await status_of(tenant, key, None) == (403, "origin_not_allowed")
    assert await status_of(tenant, key, ALLOWED) == (404, "agent_not_found")

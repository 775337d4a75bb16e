"""Registering, listing, changing and deleting webhooks, to the letter of the API."""

from __future__ import annotations

import asyncio
from uuid import uuid4

import httpx2
import pytest

from control_plane.notifying.webhooks.event_names import EVENT_NAMES, RESERVED_EVENTS
from control_plane.notifying.webhooks.service import MOST_WEBHOOKS
from control_plane.platform.settings import ControlPlaneSettings
from tests.control_plane.conftest import TenantClient

HOOK = {
    "url": "https://8.8.8.8/hooks",
    "events": ["call.completed"],
    "secret": "sixteen letters!",
}


@pytest.fixture
def settings(settings: ControlPlaneSettings) -> ControlPlaneSettings:
    """As an installation has them."""
    return settings.model_copy(
        update={"environment": "production", "outbound_allowed_networks": ()}
    )


async def registered(tenant: TenantClient, **fields: object) -> str:
    answer = await tenant.post("/v1/webhooks", HOOK | fields)
    assert answer.status_code == 201, answer.text
    assert set(answer.json()) == {"status", "id"}
    assert answer.json()["status"] == "registered"
    return str(answer.json()["id"])


async def change(tenant: TenantClient, path: str, body: object) -> httpx2.Response:
    return await tenant.request("PATCH", path, json=body)


async def test_a_webhook_is_registered_listed_changed_and_deleted(tenant: TenantClient) -> None:
    first = await registered(tenant)
    second = await registered(tenant, alert_email="Ops@Example.com", redaction_level="full")
    page = (await tenant.get("/v1/webhooks?limit=1")).json()
    assert {name: page[name] for name in ("total", "offset", "limit")} == {
        "total": 2,
        "offset": 0,
        "limit": 1,
    }
    [row] = page["webhooks"]
    assert set(row) == {"id", "url", "events", "created_at"}
    assert row["id"] == second
    changed = await change(
        tenant, f"/v1/webhooks/{second}", {"alert_email": "", "events": ["call.failed"]}
    )
    assert (changed.status_code, changed.json()) == (200, {"status": "updated", "id": second})
    shown = (await tenant.get(f"/v1/webhooks/{second}")).json()
    assert (shown["alert_email"], shown["events"]) == (None, ["call.failed"])
    assert shown["redaction_level"] == "full"
    await change(tenant, f"/v1/webhooks/{second}", {"redaction_level": None})
    assert (await tenant.get(f"/v1/webhooks/{second}")).json()["redaction_level"] == "partial"
    deleted = await tenant.request("DELETE", f"/v1/webhooks/{first}")
    assert (deleted.status_code, deleted.json()) == (200, {"status": "deleted", "id": first})


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("url", None, "url"),
        ("url", "http://8.8.8.8/hooks", "must begin with https://"),
        ("url", "https://localhost/hooks", "private network"),
        ("url", "https://metadata.google.internal/", "private network"),
        ("url", "https://169.254.169.254/latest", "link-local"),
        ("url", "https://printer.local/", "private network"),
        ("url", "https://db.internal/", "private network"),
        ("url", "https://10.1.2.3/", "private network"),
        ("url", "https://[fd00::1]/", "private network"),
        ("url", "https://user:password@8.8.8.8/", "user name or password"),
        ("url", "https://no-such-name.invalid/", "could not be resolved"),
        ("events", None, "events"),
        ("events", [], "events"),
        ("events", ["call.completed", "call.finished"], "'call.finished'. The events are"),
        ("secret", None, "secret"),
        ("secret", "fifteen letters", "16"),
        ("redaction_level", "some", "redaction_level"),
        ("alert_email", "nobody", "mail address"),
    ],
)
async def test_what_is_wrong_is_said(
    tenant: TenantClient, field: str, value: object, words: str
) -> None:
    wanted = {name: given for name, given in (HOOK | {field: value}).items() if given is not None}
    answer = await tenant.post("/v1/webhooks", wanted)
    assert answer.status_code == 400, answer.text
    assert answer.json()["errors"][0]["field"].startswith(field)
    assert words in answer.text
    if value is not None:
        webhook_id = await registered(tenant)
        changed = await change(tenant, f"/v1/webhooks/{webhook_id}", {field: value})
        assert changed.status_code == 400, changed.text


async def test_an_empty_change_is_refused(tenant: TenantClient) -> None:
    webhook_id = await registered(tenant)
    for body in ({}, {"url": None}, {"secret": None}):
        answer = await change(tenant, f"/v1/webhooks/{webhook_id}", body)
        assert answer.status_code == 400, answer.text


async def test_a_webhook_that_is_not_there_is_404(tenant: TenantClient) -> None:
    for method, body in (("PATCH", {"events": ["call.failed"]}), ("DELETE", None), ("GET", None)):
        answer = await tenant.request(method, f"/v1/webhooks/{uuid4()}", json=body)
        assert (answer.status_code, answer.json()["code"]) == (404, "webhook_not_found")


async def test_without_a_valid_key_everything_is_401(tenant: TenantClient) -> None:
    webhook_id = await registered(tenant)
    for method, path in (
        ("POST", ""),
        ("GET", ""),
        ("PATCH", f"/{webhook_id}"),
        ("DELETE", f"/{webhook_id}"),
    ):
        answer = await tenant.http.request(method, f"/v1/webhooks{path}")
        assert answer.status_code == 401


async def test_reserved_names_are_accepted(tenant: TenantClient) -> None:
    await registered(tenant, events=list(RESERVED_EVENTS))
    await registered(tenant, events=list(EVENT_NAMES))


async def test_a_tenant_has_a_hundred_at_most_also_if_it_asks_for_more_at_once(
    tenant: TenantClient,
) -> None:
    for _ in range(MOST_WEBHOOKS - 1):
        await registered(tenant)
    answers = await asyncio.gather(*(tenant.post("/v1/webhooks", HOOK) for _ in range(10)))
    assert sorted(answer.status_code for answer in answers) == [201, *[409] * 9]


async def test_a_tenant_has_a_hundred_at_most(tenant: TenantClient) -> None:
    for _ in range(MOST_WEBHOOKS):
        await registered(tenant)
    answer = await tenant.post("/v1/webhooks", HOOK)
    assert (answer.status_code, answer.json()["code"]) == (409, "too_many_webhooks")
    assert (answer.json()["limit"], answer.json()["used"]) == (MOST_WEBHOOKS, MOST_WEBHOOKS)

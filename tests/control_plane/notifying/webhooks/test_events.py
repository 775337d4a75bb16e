"""Asking for what is new, for programs that no address leads to."""

from __future__ import annotations

import json
from typing import Any
from uuid import uuid4

import pytest
from sqlalchemy import text
from structlog.testing import capture_logs

from control_plane.notifying.webhooks.event_log import routes
from control_plane.platform.database import Database
from control_plane.platform.outbox.models import OutboxEvent
from tests.control_plane.conftest import TenantClient
from tests.control_plane.notifying.webhooks.conftest import publish

EVENTS = "/v1/webhooks/events"


async def ask(tenant: TenantClient, cursor: str | None = None, query: str = "") -> dict[str, Any]:
    answer = await tenant.get(f"{EVENTS}?{query}" + (f"&cursor={cursor}" if cursor else ""))
    assert answer.status_code == 200, answer.text
    document: dict[str, Any] = answer.json()
    return document


def titles(answer: dict[str, Any]) -> list[str]:
    return [json.loads(event["body"])["data"]["title"] for event in answer["events"]]


async def test_each_event_is_given_once_and_in_order(
    tenant: TenantClient, other_tenant: TenantClient, database: Database
) -> None:
    await publish(database, tenant, "Before")
    begin = await ask(tenant)
    assert begin["events"] == []
    for number in range(3):
        await publish(database, tenant, f"Number {number}")
        await publish(database, other_tenant, "A stranger's")
    first = await ask(tenant, begin["next_cursor"], "limit=2")
    rest = await ask(tenant, first["next_cursor"], "limit=2")
    nothing = await ask(tenant, rest["next_cursor"], "limit=2")
    assert titles(first) == ["Number 0", "Number 1"]
    assert titles(rest) == ["Number 2"]
    assert titles(nothing) == []
    body = json.loads(first["events"][0]["body"])
    assert body["event"] == body["type"] == "agent.published"


async def test_a_page_that_takes_too_long_ends_early_and_the_next_one_goes_on_after_it(
    tenant: TenantClient, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    cursor = (await ask(tenant))["next_cursor"]
    for number in range(3):
        await publish(database, tenant, f"Number {number}")
    monkeypatch.setattr(routes, "PAGE_SECONDS", 0)
    for number in range(3):
        page = await ask(tenant, cursor)
        assert titles(page) == [f"Number {number}"]
        cursor = page["next_cursor"]
    assert titles(await ask(tenant, cursor)) == []


async def test_an_event_that_cannot_be_put_together_keeps_no_other_from_being_given(
    tenant: TenantClient, database: Database
) -> None:
    cursor = (await ask(tenant))["next_cursor"]
    broken = OutboxEvent(
        id=uuid4(), tenant_id=tenant.tenant_id, event="call.completed", data={"call_id": "none"}
    )
    await publish(database, tenant, "Before")
    async with database.system_session() as session:
        session.add(broken)
    await publish(database, tenant, "After")
    with capture_logs() as logs:
        assert titles(await ask(tenant, cursor)) == ["Before", "After"]
    [left_out] = [entry for entry in logs if entry["event"] == "event_not_shown"]
    assert left_out["event_id"] == str(broken.id)


async def test_an_event_that_is_committed_late_is_not_missed(
    tenant: TenantClient, database: Database
) -> None:
    begin = await ask(tenant)
    async with database.system_session() as slow:
        await slow.execute(text("SELECT pg_current_xact_id()"))
        await publish(database, tenant, "Second")
        between = await ask(tenant, begin["next_cursor"])
        assert titles(between) == [], "one that began earlier still runs"
    after = await ask(tenant, between["next_cursor"])
    assert titles(after) == ["Second"]


async def test_a_cursor_beyond_the_end_goes_on_from_the_end(
    tenant: TenantClient, database: Database
) -> None:
    beyond = await ask(tenant, f"{'9' * 18}.0")
    await publish(database, tenant, "Next")
    assert titles(await ask(tenant, beyond["next_cursor"])) == ["Next"]


async def test_words_are_redacted_as_for_a_webhook(
    tenant: TenantClient, database: Database
) -> None:
    begin = (await ask(tenant))["next_cursor"]
    await publish(database, tenant)
    seen = {
        level: json.loads((await ask(tenant, begin, query))["events"][0]["body"])["data"]["message"]
        for level, query in (
            ("default", ""),
            ("none", "redaction_level=none"),
            ("full", "redaction_level=full"),
        )
    }
    assert seen == {
        "default": "Version 3 of Mia is live; ask [phone number].",
        "none": "Version 3 of Mia is live; ask +1 415 555 0100.",
        "full": None,
    }


@pytest.mark.parametrize("cursor", ["x", "1", "1.", "-1.0", "²", "1.0.0", "9" * 19 + ".0"])
async def test_a_cursor_that_was_never_given_is_400(tenant: TenantClient, cursor: str) -> None:
    answer = await tenant.get(EVENTS, params={"cursor": cursor})
    assert answer.status_code == 400
    assert "next_cursor" in answer.text

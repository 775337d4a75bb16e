"""Hearing of notifications as they come."""

from __future__ import annotations

import re

import httpx2
import pytest
from fastapi import FastAPI

from control_plane.notifying.notifications.streaming.stream import position_of
from control_plane.platform.database import Database
from tests.control_plane.calling.live_view.viewer import Viewer
from tests.control_plane.conftest import TenantClient
from tests.control_plane.dashboard import dashboard_client
from tests.control_plane.notifying.notifications.facts import read_facts, tell
from tests.control_plane.platform.http.real_server import served

PATH = "/v1/notifications/stream"


async def test_a_stream_says_how_many_are_unread_and_then_what_is_new(
    app: FastAPI, tenant: TenantClient, other_tenant: TenantClient, database: Database
) -> None:
    await read_facts(database)
    before = (await tenant.get("/v1/notifications?unread_only=true")).json()["total"]
    async with (
        served(app) as address,
        httpx2.AsyncClient(base_url=address, headers=tenant.headers, timeout=60) as client,
        client.stream("GET", PATH) as response,
    ):
        assert response.headers["content-type"].startswith("text/event-stream")
        viewer = Viewer(response)
        [first] = await viewer.take(1)
        assert (first.name, first.data) == ("unread", {"count": before})
        await tell(database, other_tenant.tenant_id, title="A stranger's")
        told = await tell(database, tenant.tenant_id, title="Nora failed")
        new, unread = await viewer.take(2)
    assert (new.name, new.data["id"], new.data["title"]) == (
        "notification",
        str(told),
        "Nora failed",
    )
    assert (unread.name, unread.data) == ("unread", {"count": before + 1})


async def lines(tenant: TenantClient, after: str | None = None) -> str:
    headers = tenant.headers | ({} if after is None else {"Last-Event-ID": after})
    answer = await tenant.http.get(f"{PATH}?follow=false", headers=headers)
    assert answer.status_code == 200, answer.text
    return answer.text


async def test_a_reader_who_reconnects_goes_on_after_what_it_has_seen(
    tenant: TenantClient, database: Database
) -> None:
    for number in range(3):
        await tell(database, tenant.tenant_id, title=f"Number {number}")
    everything = await lines(tenant, "0")
    assert all(f"Number {number}" in everything for number in range(3))
    [seen] = [
        line.removeprefix("id: ")
        for block in everything.split("\n\n")
        if "Number 1" in block
        for line in block.splitlines()
        if line.startswith("id: ")
    ]
    rest = await lines(tenant, seen)
    assert "Number 2" in rest
    assert "Number 1" not in rest
    assert "Number" not in await lines(tenant)


async def test_a_reader_who_has_been_sent_no_notification_yet_misses_none_when_it_reconnects(
    tenant: TenantClient, database: Database
) -> None:
    await tell(database, tenant.tenant_id, title="An old one")
    beginning = await lines(tenant)
    assert "event: notification" not in beginning
    [seen] = re.findall(r"^id: (.+)$", beginning, re.MULTILINE)
    await tell(database, tenant.tenant_id, title="While nobody listened")
    rest = await lines(tenant, seen)
    assert "While nobody listened" in rest
    assert "An old one" not in rest


async def test_a_category_that_its_reader_does_not_want_is_not_in_the_stream(
    tenant: TenantClient, database: Database
) -> None:
    member = await dashboard_client(tenant, database, "member")
    hidden = {"event_category": "agent.failed", "in_app_enabled": False}
    await member.request("PUT", "/v1/notifications/preferences/me", json=hidden)
    await tell(database, tenant.tenant_id, title="Nora failed")
    headers = member.headers | {"Last-Event-ID": "0"}
    answer = await member.http.get(f"{PATH}?follow=false", headers=headers)
    assert answer.status_code == 200, answer.text
    assert "Nora failed" not in answer.text
    assert "Nora failed" in await lines(tenant, "0")


@pytest.mark.parametrize("given", ["", "x", "-1", "²", "9" * 19])
def test_an_id_that_was_never_given_begins_with_what_is_new(given: str) -> None:
    assert position_of(given) is None
    assert position_of("42") == 42

"""Public links as their owners manage them."""

from __future__ import annotations

import asyncio
from typing import Any
from uuid import uuid4

import pytest
from fastapi import FastAPI
from sqlalchemy import select

from control_plane.calling.sharing.models import ShareLink
from control_plane.platform.audit.models import AuditEntry
from control_plane.platform.database import Database
from control_plane.platform.settings import ControlPlaneSettings
from tests.control_plane.calling.sharing.visitors import Sharing, outcome, token_of
from tests.control_plane.conftest import TenantClient


async def test_an_agent_has_no_link_until_somebody_makes_one(sharing: Sharing) -> None:
    assert (await sharing.tenant.get(sharing.path)).json() == {"link": None}


async def test_the_first_call_creates_the_link_with_the_defaults(sharing: Sharing) -> None:
    link = await sharing.link()
    assert link.pop("url").startswith("http://switchboard.test/s/")
    assert {**link, "id": None, "created_at": None} == {
        "id": None,
        "enabled": True,
        "minutes_limit": 30,
        "minutes_used": 0,
        "minutes_reserved": 0,
        "minutes_remaining": 30,
        "seconds_used": 0,
        "seconds_remaining": 1800,
        "live_calls": 0,
        "max_call_seconds": 300,
        "max_concurrent": 2,
        "calls_per_ip_hour": 3,
        "allowed_origins": [],
        "minutes_requested_at": None,
        "created_at": None,
    }


async def test_later_calls_change_only_what_they_send(sharing: Sharing) -> None:
    made = await sharing.link(minutes_limit=60, max_concurrent=4)
    changed = await sharing.link(max_call_seconds=120, allowed_origins=["HTTPS://Shop.example/"])
    assert changed == made | {"max_call_seconds": 120, "allowed_origins": ["https://shop.example"]}
    assert (await sharing.link(enabled=False))["url"] == made["url"], "pausing keeps the address"
    assert (await sharing.tenant.get(sharing.path)).json()["link"] == changed | {"enabled": False}


@pytest.mark.parametrize(
    ("field", "wrong"),
    [
        ("minutes_limit", (-1, 6001, 1.5, "30", True, None)),
        ("max_call_seconds", (59, 1801, "60")),
        ("max_concurrent", (0, 11, "2")),
        ("calls_per_ip_hour", (0, 31, "3")),
        ("enabled", (1, "true", None)),
        ("allowed_origins", ("https://a.example", ["shop.example"], ["https://a.example/x"], [7])),
        ("color", ("blue",)),
    ],
)
async def test_a_setting_out_of_range_is_refused(
    sharing: Sharing, field: str, wrong: tuple[Any, ...]
) -> None:
    for value in wrong:
        answer = await sharing.put(**{field: value})
        assert outcome(answer) == (400, "invalid_request"), (field, value, answer.text)
        assert answer.json()["errors"][0]["field"].startswith(field)


async def test_regenerating_makes_another_address_and_keeps_the_rest(sharing: Sharing) -> None:
    before = await sharing.link(minutes_limit=7)
    answer = await sharing.tenant.post(f"{sharing.path}/regenerate")
    assert answer.status_code == 200
    after = answer.json()["link"]
    assert after["url"] != before["url"]
    assert after | {"url": None} == before | {"url": None}


async def test_nothing_can_be_regenerated_before_there_is_a_link(sharing: Sharing) -> None:
    answer = await sharing.tenant.post(f"{sharing.path}/regenerate")
    assert outcome(answer) == (404, "share_link_not_found")


async def test_an_agent_that_is_not_there_has_no_link(
    sharing: Sharing, other_tenant: TenantClient
) -> None:
    await sharing.link()
    for tenant, agent_id in ((sharing.tenant, uuid4()), (other_tenant, sharing.agent_id)):
        path = f"/v1/agents/{agent_id}/share-link"
        answers = [
            await tenant.get(path),
            await tenant.request("PUT", path, json={}),
            await tenant.post(f"{path}/regenerate"),
        ]
        assert {outcome(answer) for answer in answers} == {(404, "agent_not_found")}


async def test_an_installation_can_do_without_links(
    sharing: Sharing, app: FastAPI, settings: ControlPlaneSettings
) -> None:
    link = await sharing.link()
    app.state.settings = settings.model_copy(update={"share_links": False})
    answers = [
        await sharing.tenant.get(sharing.path),
        await sharing.put(),
        await sharing.tenant.post(f"{sharing.path}/regenerate"),
    ]
    assert {outcome(answer) for answer in answers} == {(404, "share_links_disabled")}
    visited = await sharing.tenant.http.get(f"/v1/shared/{token_of(link)}")
    assert outcome(visited) == (404, "share_not_found")


async def test_a_publishable_key_manages_no_links(sharing: Sharing) -> None:
    key = await sharing.tenant.publishable_key()
    for method, path in (
        ("GET", sharing.path),
        ("PUT", sharing.path),
        ("POST", f"{sharing.path}/regenerate"),
    ):
        answer = await sharing.tenant.http.request(method, path, headers=key, json={})
        assert outcome(answer) == (403, "secret_key_required")


async def test_two_first_calls_at_once_make_one_link(sharing: Sharing) -> None:
    links = await asyncio.gather(*(sharing.link(minutes_limit=5) for _ in range(5)))
    assert len({link["url"] for link in links}) == 1


async def test_the_page_can_be_at_another_address_than_the_api(
    sharing: Sharing, app: FastAPI, settings: ControlPlaneSettings
) -> None:
    changed = settings.model_copy(update={"studio_url": "https://talk.example.com/"})
    app.state.settings = changed
    assert (await sharing.link())["url"].startswith("https://talk.example.com/s/")
    assert "talk.example.com" in changed.hosts


async def test_the_token_is_kept_sealed_and_every_change_is_in_the_audit_log(
    sharing: Sharing, database: Database
) -> None:
    token = token_of(await sharing.link())
    await sharing.link(enabled=False)
    await sharing.link(enabled=False)
    await sharing.tenant.post(f"{sharing.path}/regenerate")
    async with database.tenant_session(sharing.tenant.tenant_id) as session:
        link = (await session.scalars(select(ShareLink))).one()
        acts = (
            await session.scalars(
                select(AuditEntry.action).where(AuditEntry.target_id == str(link.id))
            )
        ).all()
    assert token not in link.sealed_token
    assert sorted(acts) == ["share_link.changed", "share_link.created", "share_link.regenerated"]

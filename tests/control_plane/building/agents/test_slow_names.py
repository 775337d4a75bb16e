"""A name server that does not answer delays the tenant that named it, and nobody else."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest
from fastapi import FastAPI

from control_plane.platform.database import Database
from outbound.resolver import IpAddress, SharedResolver
from tests.control_plane.calling.chat_sessions.chatting import begin, send
from tests.control_plane.conftest import PATIENCE_SECONDS, TenantClient

URL = "https://slow.example.com/hook"
HOOK = {"url": URL, "events": ["call.completed"], "secret": "sixteen letters!"}
SERVER = {"base_url": "https://slow.example.com/v1", "models": ["llama3.2"]}
PAGE = {"kind": "url", "title": "Menu", "url": URL}
PROMPT = "Take bookings for the restaurant Blue Harbor."
NEVER_SECONDS = 3 * PATIENCE_SECONDS
TOOLS = {"tools": [{"type": "call_webhook", "name": "a", "description": "b", "url": URL}]}


def connections_in_use(app: FastAPI) -> int:
    database: Database = app.state.database
    return sum(
        engine.sync_engine.pool.checkedout()  # type: ignore[attr-defined]
        for engine in (database._app, database._system)
    )


def watched_names(app: FastAPI) -> list[int]:
    """How many database connections are in use at each look-up of a name, from now on."""
    in_use = list[int]()

    def look_up(_host: str) -> tuple[IpAddress, ...]:
        in_use.append(connections_in_use(app))
        return ()

    app.state.resolver = SharedResolver(look_up=look_up)
    return in_use


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", "/v1/agents", {"name": "x"} | TOOLS),
        ("POST", "/v1/agents/draft", {"name": "x"} | TOOLS),
        ("PATCH", "/v1/agents/{agent}", TOOLS),
        ("PUT", "/v1/agents/{agent}", TOOLS),
        ("POST", "/v1/agents/validate-publish", {"name": "x"} | TOOLS),
        (
            "POST",
            "/v1/agents/apply-changes",
            {"currentConfig": {"name": "x"} | TOOLS, "changes": [], "mode": "create"},
        ),
        ("POST", "/v1/webhooks", HOOK),
        ("PATCH", "/v1/webhooks/{webhook}", {"url": URL}),
    ],
)
async def test_no_database_connection_waits_for_a_name_server(
    app: FastAPI, tenant: TenantClient, method: str, path: str, body: dict[str, Any]
) -> None:
    path = path.replace("{agent}", str(await tenant.agent()))
    if "{webhook}" in path:
        made = await tenant.post("/v1/webhooks", HOOK | {"url": "https://8.8.8.8/hook"})
        path = path.replace("{webhook}", made.json()["id"])
    in_use = watched_names(app)
    answer = await tenant.request(method, path, json=body)
    # A name without an address is refused for webhooks only.
    expected = (400,) if "webhooks" in path else (200, 201)
    assert answer.status_code in expected, answer.text
    assert in_use == [0]


@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        ("PUT", "/v1/provider-keys/openai_compatible", SERVER | {"verify": False}, 200),
        ("PUT", "/v1/provider-keys/openai_compatible", SERVER, 424),
        ("POST", "/v1/agents/{agent}/knowledge-sources", PAGE, 202),
        ("POST", "/v1/agents/enrich-company", {"companyName": "Bella", "websiteUrl": URL}, 200),
    ],
)
async def test_none_waits_for_the_name_of_a_server_or_a_page(
    app: FastAPI, tenant: TenantClient, method: str, path: str, body: dict[str, Any], status: int
) -> None:
    path = path.replace("{agent}", str(await tenant.agent()))
    in_use = watched_names(app)
    answer = await tenant.request(method, path, json=body)
    assert answer.status_code == status, answer.text
    assert in_use, "the name was not looked up"
    assert set(in_use) == {0}


async def test_none_waits_for_the_name_of_a_chats_model(app: FastAPI, tenant: TenantClient) -> None:
    in_use = watched_names(app)
    kept = {**SERVER, "verify": False}
    answer = await tenant.request("PUT", "/v1/provider-keys/openai_compatible", json=kept)
    assert answer.status_code == 200, answer.text
    chat = await begin(tenant, await tenant.published_agent(system_prompt=PROMPT))
    in_use.clear()
    await send(tenant, chat, "A table, please.")
    assert in_use, "the name was not looked up"
    assert set(in_use) == {0}


async def test_thirty_slow_names_of_one_tenant_do_not_stop_another(
    app: FastAPI, tenant: TenantClient, other_tenant: TenantClient
) -> None:
    answered = threading.Event()

    def look_up(_host: str) -> tuple[IpAddress, ...]:
        answered.wait(NEVER_SECONDS)
        return ()

    app.state.resolver = SharedResolver(look_up=look_up, deadline_seconds=NEVER_SECONDS)
    attack = asyncio.gather(
        *(tenant.post("/v1/agents/validate-publish", {"name": "x"} | TOOLS) for _ in range(30))
    )
    try:
        for _ in range(10):
            answer = await other_tenant.get("/v1/agents")
            assert answer.status_code == 200
        assert not attack.done()
    finally:
        answered.set()
    assert {answer.status_code for answer in await attack} == {200}

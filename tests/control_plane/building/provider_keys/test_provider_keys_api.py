"""``/v1/provider-keys``, with a stand-in for the providers."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

import httpx2
import pytest
from aiohttp import web
from fastapi import FastAPI
from sqlalchemy import insert, select, update
from sqlalchemy.ext.asyncio import create_async_engine

from control_plane.app import create_app
from control_plane.building.provider_keys import verification
from control_plane.building.provider_keys.dependencies import available_keys
from control_plane.building.provider_keys.models import ProviderKey
from control_plane.platform.audit.models import AuditEntry
from control_plane.platform.database import Database
from control_plane.platform.settings import ControlPlaneSettings
from control_plane.platform.tenancy.models import Plan, Tenant
from pipelines.settings import VENDOR_BASE_URLS
from tests.control_plane.conftest import TenantClient

KEY = "sk-proj-abcdefgh-4321"
PATH = "/v1/provider-keys/openai"


@dataclass
class Providers:
    """Every vendor's API at once, under its own prefix; ``status`` 0 never answers."""

    status: int = 200
    asked: list[tuple[str, dict[str, str]]] = field(default_factory=list)

    async def answer(self, request: web.Request) -> web.Response:
        self.asked.append((request.path_qs, dict(request.headers)))
        if self.status == 0:
            await asyncio.Event().wait()
        return web.Response(status=self.status)


@pytest.fixture
async def providers() -> Providers:
    return Providers()


@pytest.fixture
async def provider_base_urls(providers: Providers) -> AsyncIterator[dict[str, str]]:
    app = web.Application()
    app.router.add_route("*", "/{path:.*}", providers.answer)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    port = runner.addresses[0][1]
    yield {name: f"http://127.0.0.1:{port}/{name}" for name in VENDOR_BASE_URLS}
    await runner.cleanup()


@pytest.fixture
async def app(
    settings: ControlPlaneSettings, provider_base_urls: dict[str, str]
) -> AsyncIterator[FastAPI]:
    app = create_app(settings.model_copy(update={"provider_base_urls": provider_base_urls}))
    async with app.router.lifespan_context(app):
        yield app


async def put(tenant: TenantClient, path: str = PATH, **body: Any) -> httpx2.Response:
    return await tenant.request("PUT", path, json={"key": KEY} | body)


@pytest.mark.parametrize(
    ("provider", "path", "header"),
    [
        ("openai", "/openai/models", ("Authorization", f"Bearer {KEY}")),
        ("google", "/google/v1beta/models?pageSize=1", ("x-goog-api-key", KEY)),
        ("anthropic", "/anthropic/v1/models?limit=1", ("x-api-key", KEY)),
        ("deepgram", "/deepgram/projects", ("Authorization", f"Token {KEY}")),
        ("elevenlabs", "/elevenlabs/user", ("xi-api-key", KEY)),
        ("cartesia", "/cartesia/voices?limit=1", ("X-API-Key", KEY)),
    ],
)
async def test_a_key_is_tested_with_its_provider_and_then_listed_by_its_last_characters(
    tenant: TenantClient,
    providers: Providers,
    provider: str,
    path: str,
    header: tuple[str, str],
) -> None:
    answer = await put(tenant, f"/v1/provider-keys/{provider}")
    assert answer.status_code == 200, answer.text
    [(asked, headers)] = providers.asked
    assert asked == path
    assert headers[header[0]] == header[1]
    listed = (await tenant.get("/v1/provider-keys")).json()["provider_keys"]
    assert listed == [answer.json()]
    assert (
        listed[0] | {"provider": provider, "last_four": "4321", "status": "verified"} == (listed[0])
    )
    assert listed[0]["verified_at"] is not None
    assert KEY not in answer.text


async def test_a_key_that_the_provider_refuses_is_not_stored(
    tenant: TenantClient, providers: Providers
) -> None:
    for providers.status in (400, 401, 403):
        answer = await put(tenant)
        assert (answer.status_code, answer.json()["code"]) == (400, "provider_key_rejected")
        assert KEY not in answer.text
    assert (await tenant.get("/v1/provider-keys")).json() == {"provider_keys": []}


@pytest.mark.parametrize("status", [500, 503, 429, 302, 404, 0])
async def test_a_provider_that_cannot_be_asked_is_no_fault_of_ours_and_can_be_passed_over(
    tenant: TenantClient, providers: Providers, status: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(verification, "_TIMEOUT_SECONDS", 0.2)
    providers.status = status
    answer = await put(tenant)
    assert (answer.status_code, answer.json()["code"]) == (424, "provider_unreachable")
    providers.asked.clear()
    stored = await put(tenant, verify=False)
    assert stored.json()["status"] == "unverified"
    assert stored.json()["verified_at"] is None
    assert providers.asked == []


async def test_a_provider_that_is_not_there_at_all(
    settings: ControlPlaneSettings, app: FastAPI, tenant: TenantClient
) -> None:
    app.state.settings = settings.model_copy(
        update={"provider_base_urls": {"openai": "http://127.0.0.1:1"}}
    )
    answer = await put(tenant)
    assert (answer.status_code, answer.json()["code"]) == (424, "provider_unreachable")


async def test_setting_a_key_again_replaces_it(tenant: TenantClient, providers: Providers) -> None:
    first = (await put(tenant)).json()
    second = (await put(tenant, key="sk-proj-abcdefgh-9876", verify=False)).json()
    assert (second["last_four"], second["status"]) == ("9876", "unverified")
    assert second["created_at"] == first["created_at"]
    assert second["updated_at"] > first["updated_at"]


async def test_a_deleted_key_is_gone(tenant: TenantClient) -> None:
    await put(tenant)
    deleted = await tenant.request("DELETE", PATH)
    assert (deleted.status_code, deleted.json()) == (
        200,
        {"status": "deleted", "provider": "openai"},
    )
    again = await tenant.request("DELETE", PATH)
    assert (again.status_code, again.json()["code"]) == (404, "provider_key_not_found")


@pytest.mark.parametrize("method", ["PUT", "DELETE"])
@pytest.mark.parametrize("provider", ["acme", "local"])
async def test_an_unknown_provider_is_refused_with_the_names_of_the_known(
    tenant: TenantClient, method: str, provider: str
) -> None:
    path = f"/v1/provider-keys/{provider}"
    body = {"json": {"key": KEY}} if method == "PUT" else {}
    answer = await tenant.request(method, path, **body)
    assert (answer.status_code, answer.json()["code"]) == (404, "unknown_provider")
    assert all(name in answer.json()["detail"] for name in VENDOR_BASE_URLS)


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"key": None},
        {"key": "eleven-char"},
        {"key": "k" * 501},
        {"key": "with a blank in it"},
        {"key": "with-a-line\r\nX-Other: 1"},
        {"key": "kéykéykéykéy"},
        {"key": KEY, "verify": "perhaps"},
        {"key": KEY, "provider": "openai"},
    ],
)
async def test_what_cannot_be_a_key_is_refused_by_field_without_repeating_it(
    tenant: TenantClient, providers: Providers, body: dict[str, Any]
) -> None:
    answer = await tenant.request("PUT", PATH, json=body)
    assert (answer.status_code, answer.json()["code"]) == (400, "invalid_request")
    assert answer.json()["errors"][0]["field"] in ("key", "verify", "provider")
    assert str(body.get("key")) not in answer.text or not body.get("key")
    assert providers.asked == []


async def test_without_a_key_of_ours_or_with_a_publishable_one_nothing_is_done(
    tenant: TenantClient,
) -> None:
    publishable = await tenant.publishable_key()
    for method in ("GET", "PUT", "DELETE"):
        path = "/v1/provider-keys" if method == "GET" else PATH
        body: dict[str, Any] = {"json": {"key": KEY}} if method == "PUT" else {}
        assert (await tenant.http.request(method, path, **body)).status_code == 401
        refused = await tenant.http.request(method, path, headers=publishable, **body)
        assert refused.status_code == 403


async def test_a_plan_without_own_keys_takes_none_and_uses_none(
    tenant: TenantClient, database: Database, settings: ControlPlaneSettings
) -> None:
    await put(tenant)
    async with database.tenant_session(tenant.tenant_id) as session:
        assert (await available_keys(session, tenant.tenant_id, settings)).own == {"openai"}
    await _move_to_plan_without_own_keys(settings, database, tenant)
    refused = await put(tenant)
    assert (refused.status_code, refused.json()["code"]) == (403, "own_keys_not_allowed")
    async with database.tenant_session(tenant.tenant_id) as session:
        assert (await available_keys(session, tenant.tenant_id, settings)).own == frozenset()
    assert (await tenant.request("DELETE", PATH)).status_code == 200


async def test_the_database_holds_the_key_sealed_and_the_audit_log_does_not_hold_it(
    tenant: TenantClient, database: Database, settings: ControlPlaneSettings
) -> None:
    await put(tenant)
    await tenant.request("DELETE", PATH)
    await put(tenant)
    async with database.tenant_session(tenant.tenant_id) as session:
        record = (await session.scalars(select(ProviderKey))).one()
        entries = (await session.scalars(select(AuditEntry).order_by(AuditEntry.id))).all()
    assert KEY not in record.sealed_key
    assert settings.sealer.open(record.sealed_key) == KEY
    noted = [(e.action, e.target_id, e.changes) for e in entries if "provider_key" in e.action]
    assert noted == [
        ("provider_key.set", "openai", {"verified": True}),
        ("provider_key.deleted", "openai", {}),
        ("provider_key.set", "openai", {"verified": True}),
    ]


async def test_keys_of_one_tenant_are_not_another_s(
    tenant: TenantClient, other_tenant: TenantClient
) -> None:
    await put(tenant)
    assert (await other_tenant.get("/v1/provider-keys")).json() == {"provider_keys": []}
    assert (await other_tenant.request("DELETE", PATH)).status_code == 404


async def _move_to_plan_without_own_keys(
    settings: ControlPlaneSettings, database: Database, tenant: TenantClient
) -> None:
    """As the operator would, who owns the tables."""
    engine = create_async_engine(settings.database_url)
    plan = {
        "id": f"plain-{tenant.tenant_id}",
        "display_name": "Plain",
        "monthly_credit_micros": 0,
        "byok_allowed": False,
    }
    async with engine.begin() as connection:
        await connection.execute(insert(Plan).values(plan))
    await engine.dispose()
    async with database.system_session() as session:
        await session.execute(
            update(Tenant).where(Tenant.id == tenant.tenant_id).values(plan_id=plan["id"])
        )

"""The API over a real database, and tenants that use it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import httpx2
import pytest
from fastapi import FastAPI
from pwdlib.hashers.argon2 import Argon2Hasher
from sqlalchemy.dialects.postgresql.psycopg import PGDialectAsync_psycopg
from sqlalchemy.ext.asyncio import create_async_engine

from contracts.sealing import derived_key
from control_plane.app import create_app
from control_plane.calling.calls import connected_time
from control_plane.calling.calls.creating import dispatcher
from control_plane.identity.accounts.passwords.hashing import Passwords
from control_plane.platform import database as database_module
from control_plane.platform.database import Database
from control_plane.platform.settings import ControlPlaneSettings
from tests.free_worker import note_free_worker

PATIENCE_SECONDS = 20.0
"""These tests are about rules, not about how fast a busy machine is; what a deadline does is shown
in test_database.py, with one of its own."""

QUICK_HASHER = Argon2Hasher(time_cost=1, memory_cost=8, parallelism=1)
"""One of the product's own hashes takes 64 MiB and 0.1 s of a core."""

OPERATOR = {"Authorization": "Bearer operator-token-of-the-tests"}


@dataclass(frozen=True)
class TenantClient:
    """One tenant, and its HTTP client with a secret key."""

    tenant_id: UUID
    key: str
    http: httpx2.AsyncClient

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.key}"}

    async def request(self, method: str, path: str, **options: Any) -> httpx2.Response:
        return await self.http.request(method, path, headers=self.headers, **options)

    async def get(self, path: str, **options: Any) -> httpx2.Response:
        return await self.request("GET", path, **options)

    async def post(self, path: str, body: object = None) -> httpx2.Response:
        return await self.request("POST", path, json=body)

    async def agent(self, **fields: Any) -> UUID:
        """Create an agent and return its id."""
        answer = await self.post("/v1/agents", {"name": "Reception"} | fields)
        assert answer.status_code == 201, answer.text
        return UUID(answer.json()["id"])

    async def draft(self, **fields: Any) -> UUID:
        """Save an agent that may not be able to run, and return its id."""
        answer = await self.post("/v1/agents/draft", {"name": "Reception"} | fields)
        assert answer.status_code == 201, answer.text
        return UUID(answer.json()["id"])

    async def published_agent(self, **fields: Any) -> UUID:
        agent_id = await self.agent(**fields)
        answer = await self.post(f"/v1/agents/{agent_id}/publish")
        assert answer.status_code == 200, answer.text
        return agent_id

    async def publishable_key(self, **fields: Any) -> dict[str, str]:
        """Make a publishable key and return the headers that use it."""
        wanted = {"name": "Page", "kind": "publishable"} | fields
        answer = await self.post("/v1/api-keys", wanted)
        assert answer.status_code == 201, answer.text
        return {"Authorization": f"Bearer {answer.json()['key']}"}


@pytest.fixture(scope="session", autouse=True)
def statements_compiled_once() -> Iterator[None]:
    """Lets all engines share the SQL that one of them has compiled.

    SQLAlchemy keeps it by engine and dialect object. Every test makes engines of one and the same
    kind, and would spend a sixth of its time on compiling the same statements again.
    """

    def kind(dialect: PGDialectAsync_psycopg) -> tuple[object, ...]:
        return type(dialect), dialect._json_deserializer

    shared = partial(create_async_engine, execution_options={"compiled_cache": {}})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(PGDialectAsync_psycopg, "__hash__", lambda one: hash(kind(one)))
        patch.setattr(
            PGDialectAsync_psycopg,
            "__eq__",
            lambda one, other: type(one) is type(other) and kind(one) == kind(other),
        )
        patch.setattr(database_module, "create_async_engine", shared)
        yield


@pytest.fixture
def settings(postgres_url: str, valkey_url: str, tmp_path: Path) -> ControlPlaneSettings:
    return ControlPlaneSettings(
        database_url=postgres_url,
        redis_url=valkey_url,
        public_url="http://switchboard.test",
        secret_key="a-secret-of-at-least-thirty-two-bytes",
        encryption_keys=(derived_key("of the tests"),),
        operator_token="operator-token-of-the-tests",
        request_deadline_seconds=PATIENCE_SECONDS,
        refusals_per_second=0,
        mail_outbox_dir=tmp_path / "outbox",
        knowledge_dir=tmp_path / "knowledge",
        object_store_url=(tmp_path / "objects").as_uri(),
    )


@pytest.fixture
async def app(
    settings: ControlPlaneSettings, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[FastAPI]:
    monkeypatch.setattr(dispatcher, "RECORD_TOGETHER_SECONDS", 0)
    note_free_worker(settings.redis_url)
    app = create_app(settings)
    app.state.passwords = Passwords(QUICK_HASHER)
    async with app.router.lifespan_context(app):
        yield app


@pytest.fixture
async def http(app: FastAPI) -> AsyncIterator[httpx2.AsyncClient]:
    async def until_recorded(_response: httpx2.Response) -> None:
        await app.state.dispatcher.recorded()

    transport = httpx2.ASGITransport(app=app)
    async with httpx2.AsyncClient(
        transport=transport,
        base_url="http://switchboard.test",
        event_hooks={"response": [until_recorded]},
    ) as http:
        yield http


@pytest.fixture
async def tenant(http: httpx2.AsyncClient) -> TenantClient:
    return await open_account(http)


@pytest.fixture
async def other_tenant(http: httpx2.AsyncClient) -> TenantClient:
    return await open_account(http)


@pytest.fixture
async def database(settings: ControlPlaneSettings) -> AsyncIterator[Database]:
    database = Database(settings.database_url, deadline_seconds=PATIENCE_SECONDS)
    yield database
    await database.aclose()


@pytest.fixture
def simulated_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Workers may report calls of minutes that did not pass."""
    monkeypatch.setattr(connected_time, "CLOCK_TOLERANCE", timedelta(hours=2))


async def open_account(http: httpx2.AsyncClient) -> TenantClient:
    answer = await http.post(
        "/v1/operator/tenants",
        headers=OPERATOR,
        json={"name": f"Tenant {uuid4().hex}", "owner_email": "owner@example.com"},
    )
    assert answer.status_code == 201, answer.text
    created = answer.json()
    return TenantClient(UUID(created["tenant_id"]), created["api_key"], http)

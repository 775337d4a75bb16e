"""``POST /v1/agents/voices/sample``."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import httpx2
import pytest
from aiohttp import web
from fastapi import FastAPI

from control_plane.app import create_app
from control_plane.building.voice_samples import service
from control_plane.platform.settings import ControlPlaneSettings
from tests.control_plane.conftest import TenantClient

PATH = "/v1/agents/voices/sample"
SOUND = b"ID3 a few seconds"


class Vendor:
    """Speaks whatever it is asked, and notes it."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, str, Any]] = []
        self.status = 200
        """0: it never answers."""

    async def answer(self, request: web.Request) -> web.Response:
        key = request.headers.get("Authorization", "")
        self.asked.append((request.path, key, await request.json()))
        if self.status == 0:
            await asyncio.Event().wait()
        return web.Response(status=self.status, body=SOUND)


@pytest.fixture
def vendor() -> Vendor:
    return Vendor()


@pytest.fixture
async def app(settings: ControlPlaneSettings, vendor: Vendor) -> AsyncIterator[FastAPI]:
    server = web.Application()
    server.router.add_route("*", "/{path:.*}", vendor.answer)
    runner = web.AppRunner(server, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    url = f"http://127.0.0.1:{runner.addresses[0][1]}"
    app = create_app(
        settings.model_copy(
            update={
                "provider_base_urls": {"openai": url},
                "provider_api_keys": {"openai": "sk-of-the-platform"},
            }
        )
    )
    async with app.router.lifespan_context(app):
        yield app
    await runner.cleanup()


async def sample(tenant: TenantClient, **body: Any) -> httpx2.Response:
    wanted = {"provider": "openai", "id": "alloy"} | body
    return await tenant.request("POST", PATH, json=wanted)


async def test_a_voice_greets_with_the_platforms_key(tenant: TenantClient, vendor: Vendor) -> None:
    answer = await sample(tenant)
    assert (answer.status_code, answer.content) == (200, SOUND), answer.text
    assert answer.headers["content-type"] == "audio/mpeg"
    ((path, key, body),) = vendor.asked
    assert (path, key) == ("/audio/speech", "Bearer sk-of-the-platform")
    assert body["input"] == "Hello, this is Alloy. How can I help you?"
    assert "realtime" not in body["model"]


async def test_it_says_the_sentence_that_is_asked_for(tenant: TenantClient, vendor: Vendor) -> None:
    assert (await sample(tenant, text=" Welcome to Bella Napoli! ")).is_success
    assert vendor.asked[0][2]["input"] == "Welcome to Bella Napoli!"


async def test_the_tenants_own_key_comes_first(tenant: TenantClient, vendor: Vendor) -> None:
    own = {"key": "sk-of-the-tenant", "verify": False}
    assert (await tenant.request("PUT", "/v1/provider-keys/openai", json=own)).is_success
    assert (await sample(tenant)).is_success
    assert vendor.asked[0][1] == "Bearer sk-of-the-tenant"


@pytest.mark.parametrize(
    ("body", "status", "words"),
    [
        ({"provider": "local", "id": "hibari"}, 400, "the console has recordings of them"),
        ({"provider": "acme"}, 400, "must be one of cartesia, deepgram"),
        ({"id": "nobody"}, 404, "openai has no voice 'nobody' here"),
        ({"text": "x" * 201}, 400, "200"),
        ({"text": "   "}, 400, "text"),
        ({"provider": "elevenlabs", "id": "EXAVITQu4vr4xnSDxMaL"}, 409, "set your own key for it"),
    ],
)
async def test_what_cannot_be_heard_is_said(
    tenant: TenantClient, vendor: Vendor, body: dict[str, Any], status: int, words: str
) -> None:
    answer = await sample(tenant, **body)
    assert answer.status_code == status, answer.text
    assert words in answer.text
    assert not vendor.asked


@pytest.mark.parametrize("status", [401, 429, 500])
async def test_a_provider_that_refuses_is_named_and_its_key_is_not(
    tenant: TenantClient, vendor: Vendor, status: int
) -> None:
    vendor.status = status
    answer = await sample(tenant)
    assert (answer.status_code, answer.json()["code"]) == (424, "voice_not_sampled")
    assert f"openai answered {status}" in answer.json()["detail"]
    assert "sk-of" not in answer.text


async def test_a_provider_that_hangs_keeps_nobody_waiting(
    tenant: TenantClient, vendor: Vendor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "_SECONDS", 0.2)
    vendor.status = 0
    answer = await sample(tenant)
    assert (answer.status_code, answer.json()["code"]) == (424, "voice_not_sampled")
    assert "did not answer in time" in answer.text

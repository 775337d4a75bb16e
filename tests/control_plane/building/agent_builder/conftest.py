"""The API with a stand-in for the platform's language model, which gives scripted answers."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager

import httpx2
import pytest

from control_plane.app import create_app
from control_plane.platform.settings import ControlPlaneSettings, PlatformLlmSettings
from tests.control_plane.conftest import TenantClient, open_account
from tests.stand_ins.openai_wire import Answer, OpenAIWire

WithModel = Callable[..., AbstractAsyncContextManager[tuple[TenantClient, OpenAIWire]]]


@pytest.fixture
def with_model(settings: ControlPlaneSettings) -> WithModel:
    """``async with with_model(says("…"), fails(500)) as (tenant, wire)``."""

    @asynccontextmanager
    async def start(
        *answers: Answer, timeout_seconds: float = 5.0, allowed_networks: tuple[str, ...] = ()
    ) -> AsyncIterator[tuple[TenantClient, OpenAIWire]]:
        async with OpenAIWire(answers).serving() as wire:
            model = PlatformLlmSettings(
                api_key="platform-key",
                base_url=wire.base_url,
                model="drafting-model",
                timeout_seconds=timeout_seconds,
            )
            changes = {"platform_llm": model, "outbound_allowed_networks": allowed_networks}
            app = create_app(settings.model_copy(update=changes))
            transport = httpx2.ASGITransport(app=app)
            async with (
                app.router.lifespan_context(app),
                httpx2.AsyncClient(transport=transport, base_url="http://switchboard.test") as http,
            ):
                yield await open_account(http), wire

    return start

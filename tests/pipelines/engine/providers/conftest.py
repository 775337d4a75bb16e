from __future__ import annotations

import contextlib
import ssl
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from pathlib import Path

import aiohttp
import httpx2
import pytest
from livekit.agents.utils import http_context

from pipelines.engine.shared_models import WarmModels
from tests.certificate import self_signed
from tests.pipelines.engine.providers.wires import Wire

TlsFor = Callable[[Wire], ssl.SSLContext | None]


@pytest.fixture
def tls_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> TlsFor:
    def context(wire: Wire) -> ssl.SSLContext | None:
        if not wire.over_tls:
            return None
        served, trusted = self_signed(tmp_path)
        monkeypatch.setenv("SSL_CERT_FILE", str(trusted))
        return served

    return context


@pytest.fixture
async def calling(warm_models: WarmModels) -> AsyncIterator[WarmModels]:
    """The connections of this test's own event loop."""
    async with contextlib.AsyncExitStack() as stack:
        await stack.enter_async_context(http_context.open())
        yield replace(
            warm_models,
            http_session=await stack.enter_async_context(aiohttp.ClientSession()),
            http_client=await stack.enter_async_context(httpx2.AsyncClient()),
        )


@pytest.fixture(autouse=True)
def no_keys_in_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI", "GOOGLE", "ANTHROPIC", "DEEPGRAM", "ELEVEN", "CARTESIA"):
        monkeypatch.delenv(f"{name}_API_KEY", raising=False)

"""Loading a process's models."""

from __future__ import annotations

import asyncio
import socket
import subprocess
import sys

import httpx2
import pytest

from pipelines.engine.shared_models import _http_client, _http_session

LOAD = """
import asyncio, sys
from contracts.call_plan import ProviderChoice, ResolvedChannel
from pipelines.engine.shared_models import load_models
from pipelines.settings import VENDOR_BASE_URLS, ProviderSettings
from tests.pipelines.plans import LOCAL_STACK, call_plan

def imported():
    return {name for name in VENDOR_BASE_URLS if f"livekit.plugins.{name}" in sys.modules}

async def load():
    models = await load_models(ProviderSettings(api_keys={"openai": "key"}))
    assert imported() == {"openai"}, imported()
    for provider in VENDOR_BASE_URLS:
        choice = ProviderChoice(provider=provider, model="m", key_source="own")
        channel = ResolvedChannel(primary=choice)
        stack = LOCAL_STACK.model_copy(update={"tts": channel})
        await models.prepare(call_plan(stack=stack))
    assert imported() == set(VENDOR_BASE_URLS), imported()
    await models.aclose()

asyncio.run(load())
"""


def test_providers_are_imported_when_their_key_is_known() -> None:
    """In a process of its own, because what an earlier test imported is not imported again."""
    loaded = subprocess.run(
        [sys.executable, "-c", LOAD], capture_output=True, text=True, timeout=60
    )
    assert loaded.returncode == 0, loaded.stderr


async def test_a_connection_is_given_up_soon_however_long_the_answer_may_take() -> None:
    with socket.create_server(("127.0.0.1", 0), backlog=0) as full, socket.socket() as waiting:
        # Linux takes one connection more than the backlog. Nobody accepts it, so the next hangs.
        waiting.connect(full.getsockname())
        async with _http_client(0.1) as client:
            with pytest.raises(httpx2.ConnectTimeout):
                await client.get(f"http://127.0.0.1:{full.getsockname()[1]}", timeout=30.0)


async def test_no_call_waits_for_the_connections_of_others() -> None:
    """100 is what aiohttp allows by itself."""
    connected = asyncio.Semaphore(0)

    async def never_answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connected.release()
        await reader.read()
        writer.close()

    server = await asyncio.start_server(never_answer, "127.0.0.1", backlog=200)
    url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    async with server, _http_session() as session:
        asked = [asyncio.create_task(session.get(url)) for _ in range(120)]
        async with asyncio.timeout(10):
            for _ in asked:
                await connected.acquire()
        for each in asked:
            each.cancel()
        await asyncio.wait(asked)

"""Loading a process's models."""

from __future__ import annotations

import subprocess
import sys

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

"""Loading a process's models."""

from __future__ import annotations

import subprocess
import sys

LOAD = """
import asyncio
from pipelines.models import load_models
from pipelines.settings import ProviderSettings

async def load():
    keys = ProviderSettings(encryption_keys=("any",))
    await (await load_models(keys)).aclose()

asyncio.run(load())
"""


def test_a_fresh_process_loads_with_every_provider() -> None:
    """Of its own, because plugins that an earlier test imported are not imported again."""
    loaded = subprocess.run(
        [sys.executable, "-c", LOAD], capture_output=True, text=True, timeout=60
    )
    assert loaded.returncode == 0, loaded.stderr

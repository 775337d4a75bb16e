"""Importing vendors' SDKs while calls are running.

An SDK takes up to a second to import, which would silence every call of the process: that happens
in a thread. The engine's plugins, which only the main thread may import, are small once their SDKs
are there.
"""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import Iterable

from pipelines.engine.providers.spec import ProviderSpec


async def import_providers(specs: Iterable[ProviderSpec]) -> None:
    """Must be awaited in the main thread's loop."""
    for spec in specs:
        for module in spec.sdk:
            await asyncio.to_thread(importlib.import_module, module)
        if spec.plugin is not None:
            importlib.import_module(spec.plugin)

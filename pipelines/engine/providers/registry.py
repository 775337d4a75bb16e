"""Every provider that a call plan may name."""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import Iterable

from pipelines.engine.providers.anthropic import ANTHROPIC
from pipelines.engine.providers.cartesia import CARTESIA
from pipelines.engine.providers.custom.provider import CUSTOM
from pipelines.engine.providers.deepgram import DEEPGRAM
from pipelines.engine.providers.elevenlabs import ELEVENLABS
from pipelines.engine.providers.google import GOOGLE
from pipelines.engine.providers.local.provider import LOCAL
from pipelines.engine.providers.openai import OPENAI
from pipelines.engine.providers.openai_compatible import OPENAI_COMPATIBLE_SERVER
from pipelines.engine.providers.spec import ProviderSpec, ProviderUnavailable
from pipelines.settings import ProviderSettings

PROVIDERS: tuple[ProviderSpec, ...] = (
    LOCAL,
    OPENAI,
    GOOGLE,
    ANTHROPIC,
    DEEPGRAM,
    ELEVENLABS,
    CARTESIA,
    OPENAI_COMPATIBLE_SERVER,
    CUSTOM,
)


def provider_named(name: str) -> ProviderSpec:
    """Raises ``ProviderUnavailable`` for a name that is not registered."""
    for spec in PROVIDERS:
        if spec.name == name:
            return spec
    raise ProviderUnavailable(f"there is no provider {name!r}")


def available_providers(settings: ProviderSettings) -> frozenset[str]:
    """Names of the providers that can be used with ``settings``."""
    return frozenset(spec.name for spec in PROVIDERS if spec.is_available(settings))


async def import_providers(specs: Iterable[ProviderSpec]) -> None:
    """Import the SDKs and plugins of ``specs`` while calls are running.

    Await it on the main thread: only the main thread may import the engine's plugins. An SDK takes
    up to a second to import, which would silence every call of the process, so a thread does that.
    The plugins are quick once their SDKs are loaded.
    """
    for spec in specs:
        for module in spec.sdk:
            await asyncio.to_thread(importlib.import_module, module)
        if spec.prepare is not None:
            await asyncio.to_thread(spec.prepare)
        if spec.plugin is not None:
            importlib.import_module(spec.plugin)

"""Models and connections that are loaded once per process and that all its calls share."""

from __future__ import annotations

import asyncio
import ssl
import time
from dataclasses import dataclass, field
from pathlib import Path

import aiohttp
import httpx2
import numpy as np
from livekit.local_inference import VAD, VAD_WINDOW_SAMPLES

from contracts.call_plan import CallPlan
from outbound.guarded_network import GuardedNetwork
from outbound.policy import OutboundPolicy
from pipelines.engine.channels.circuit_breaker import CircuitBreakers
from pipelines.engine.channels.tts.recorded_words import RecordedWords, record_words
from pipelines.engine.channels.tts.supervised_tts import RATE_HZ
from pipelines.engine.channels.usage_rates import UsageRates
from pipelines.engine.knowledge.shelf import Shelf
from pipelines.engine.model_process.remote_models import RemoteModels
from pipelines.engine.providers.local.loaded_models import load_here
from pipelines.engine.providers.local.speech_models import LocalModels
from pipelines.engine.providers.registry import PROVIDERS, import_providers
from pipelines.settings import ProviderSettings

_IDLE_CONNECTIONS = 100
_IDLE_SECONDS = 120.0
"""Long enough that a call's next turn finds its connection open."""


@dataclass(frozen=True)
class WarmModels:
    settings: ProviderSettings
    local: LocalModels
    """Those that need no network, loaded in this process or in the model process."""
    http_session: aiohttp.ClientSession
    http_client: httpx2.AsyncClient
    """For SDKs that use httpx2. Keys are in the requests, never in the client."""
    tls: ssl.SSLContext
    """For SDKs that would read all certificates of the world again for each client."""
    tenants_network: GuardedNetwork
    """To the tenants' own servers."""
    recorded_words: RecordedWords
    """What a caller hears when no voice works."""
    shelf: Shelf | None = None
    """The knowledge sources of calls; ``None``: this worker was given no object store."""
    breakers: CircuitBreakers = field(default_factory=lambda: CircuitBreakers(time.monotonic))
    """What the process's calls have learned about the providers' models."""
    usage_rates: UsageRates = field(default_factory=UsageRates)

    async def prepare(self, plan: CallPlan) -> None:
        """Import what the providers of ``plan`` need. Await it before its session is built.

        Providers that the platform has keys for were imported at the start. A tenant's own key may
        be for any provider, and the first call with such a provider waits about a second. The event
        loop does not wait.
        """
        if self.shelf is not None:
            await self.shelf.fetch(plan)
        chosen = {choice.provider for _, choice in plan.stack.choices()}
        await import_providers(spec for spec in PROVIDERS if spec.name in chosen)

    async def aclose(self) -> None:
        await self.local.aclose()
        await self.http_session.close()
        await self.http_client.aclose()
        self.tenants_network.close()
        if self.shelf is not None:
            self.shelf.close()


async def load_models(
    settings: ProviderSettings, models_socket: Path | None = None, shelf: Shelf | None = None
) -> WarmModels:
    """Load and run every model once, so that the first call is as fast as the hundredth.

    Takes about a second, and two more if the platform has keys for providers.

    Args:
        models_socket: where the model process listens, or will soon. The local models are then its
            own, and this process loads only voice activity detection. Without it, this process
            loads them all.
        shelf: the knowledge sources that calls look up.

    Raises:
        ModelsNotStarted: no model process has answered for a minute.
    """
    (local, recorded_words), tls, *_ = await asyncio.gather(
        _local_models_and_words(models_socket),
        asyncio.to_thread(ssl.create_default_context),
        asyncio.to_thread(_warm_voice_activity),
        import_providers(spec for spec in PROVIDERS if spec.is_available(settings)),
    )
    return WarmModels(
        settings=settings,
        local=local,
        recorded_words=recorded_words,
        http_session=_http_session(),
        http_client=_http_client(settings.deadlines.connect_seconds),
        tls=tls,
        tenants_network=GuardedNetwork(OutboundPolicy(settings.outbound_allowed_networks)),
        shelf=shelf,
    )


async def _local_models_and_words(models_socket: Path | None) -> tuple[LocalModels, RecordedWords]:
    local: LocalModels
    if models_socket is None:
        local = await load_here()
    else:
        local = await RemoteModels.connect(models_socket)
    return local, await record_words(local, RATE_HZ)


def _http_session() -> aiohttp.ClientSession:
    """It limits no connections: each call keeps open a websocket per recogniser and voice, and one
    that waited for another call's would look like a provider that does not answer."""
    return aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0))


def _http_client(connect_seconds: float) -> httpx2.AsyncClient:
    """Whatever time limit a request has, its connection is made within ``connect_seconds``."""

    async def limit_connect(request: httpx2.Request) -> None:
        timeout = request.extensions.get("timeout", {})
        request.extensions["timeout"] = {**timeout, "connect": connect_seconds}

    return httpx2.AsyncClient(
        event_hooks={"request": [limit_connect]},
        limits=httpx2.Limits(
            max_connections=None,
            max_keepalive_connections=_IDLE_CONNECTIONS,
            keepalive_expiry=_IDLE_SECONDS,
        ),
    )


def _warm_voice_activity() -> None:
    VAD().predict(np.zeros(VAD_WINDOW_SAMPLES, np.int16))

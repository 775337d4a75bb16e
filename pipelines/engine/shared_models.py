"""Models and connections that are loaded once per process and that all its calls share."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING

import aiohttp
import httpx2
import numpy as np
import structlog
from livekit.local_inference import EOT, EOT_MAX_SAMPLES, VAD, VAD_WINDOW_SAMPLES

from contracts.call_plan import CallPlan
from pipelines.engine.providers.registry import PROVIDERS, import_providers
from pipelines.settings import ProviderSettings

if TYPE_CHECKING:
    from pipelines.engine.providers.local.espeak_voice import EspeakVoice
    from pipelines.engine.providers.local.hibari_voice import HibariVoice
    from pipelines.engine.providers.local.moonshine_model import MoonshineModel

log = structlog.get_logger(__name__)

_IDLE_CONNECTIONS = 100
_IDLE_SECONDS = 120.0
"""Long enough that a call's next turn finds its connection open."""


@dataclass(frozen=True)
class WarmModels:
    """``moonshine``, ``hibari`` and ``espeak`` are ``None`` if their wheels are not installed.
    ``turn_detection`` is false if the end-of-turn weights cannot be loaded."""

    settings: ProviderSettings
    http_session: aiohttp.ClientSession
    http_client: httpx2.AsyncClient
    """For SDKs that use httpx2. Keys are in the requests, never in the client."""
    turn_detection: bool
    moonshine: MoonshineModel | None
    hibari: HibariVoice | None
    espeak: EspeakVoice | None

    async def prepare(self, plan: CallPlan) -> None:
        """Import what the providers of ``plan`` need. Await it before its session is built.

        Providers that the platform has keys for were imported at the start. A tenant's own key may
        be for any provider, and the first call with such a provider waits about a second. The event
        loop does not wait.
        """
        stack = plan.stack
        chosen = {
            choice.provider
            for channel in (stack.stt, stack.llm, stack.tts)
            for choice in (channel.primary, channel.fallback)
            if choice is not None
        }
        await import_providers(spec for spec in PROVIDERS if spec.name in chosen)

    async def aclose(self) -> None:
        for model in (self.moonshine, self.hibari, self.espeak):
            if model is not None:
                await model.aclose()
        await self.http_session.close()
        await self.http_client.aclose()


async def load_models(settings: ProviderSettings) -> WarmModels:
    """Load and run every model once, so that the first call is as fast as the hundredth.

    Takes about a second, and two more if the platform has keys for providers.
    """
    turn_detection, moonshine, hibari, espeak, _ = await asyncio.gather(
        asyncio.to_thread(_warm_turn_taking),
        asyncio.to_thread(_load_moonshine),
        asyncio.to_thread(_load_hibari),
        asyncio.to_thread(_load_espeak),
        import_providers(spec for spec in PROVIDERS if spec.is_available(settings)),
    )
    return WarmModels(
        settings=settings,
        http_session=aiohttp.ClientSession(),
        http_client=_http_client(),
        turn_detection=turn_detection,
        moonshine=moonshine,
        hibari=hibari,
        espeak=espeak,
    )


def _http_client() -> httpx2.AsyncClient:
    return httpx2.AsyncClient(
        limits=httpx2.Limits(
            max_connections=None,
            max_keepalive_connections=_IDLE_CONNECTIONS,
            keepalive_expiry=_IDLE_SECONDS,
        )
    )


def _warm_turn_taking() -> bool:
    VAD().predict(np.zeros(VAD_WINDOW_SAMPLES, np.int16))
    try:
        EOT().predict(np.zeros(EOT_MAX_SAMPLES, np.int16))
    except (OSError, RuntimeError) as error:
        log.warning("end_of_turn_model_unavailable", error=str(error))
        return False
    return True


def _load_moonshine() -> MoonshineModel | None:
    try:
        from pipelines.engine.providers.local.moonshine_model import MoonshineModel
    except (ImportError, OSError) as error:
        log.warning("local_speech_to_text_unavailable", error=str(error))
        return None
    return MoonshineModel.load()


def _load_hibari() -> HibariVoice | None:
    try:
        from pipelines.engine.providers.local.hibari_voice import HibariVoice
    except (ImportError, OSError) as error:
        log.warning("local_english_voice_unavailable", error=str(error))
        return None
    return HibariVoice.load()


def _load_espeak() -> EspeakVoice | None:
    try:
        from pipelines.engine.providers.local.espeak_voice import EspeakError, EspeakVoice
    except (ImportError, OSError) as error:
        log.warning("local_voices_unavailable", error=str(error))
        return None
    try:
        return EspeakVoice.load()
    except EspeakError as error:
        log.warning("local_voices_unavailable", error=str(error))
        return None

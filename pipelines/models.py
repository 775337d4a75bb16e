"""Models and connections that are loaded once per process and shared by its calls."""

from __future__ import annotations

import asyncio
import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING

import aiohttp
import numpy as np
import structlog
from livekit.local_inference import EOT, EOT_MAX_SAMPLES, VAD, VAD_WINDOW_SAMPLES

from pipelines.providers.registry import PROVIDERS
from pipelines.settings import ProviderSettings

if TYPE_CHECKING:
    from pipelines.providers.local.espeak_voice import EspeakVoice
    from pipelines.providers.local.hibari_voice import HibariVoice
    from pipelines.providers.local.moonshine_model import MoonshineModel

log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class WarmModels:
    """``moonshine``, ``hibari`` and ``espeak`` are ``None`` where their wheels are not installed;
    ``turn_detection`` is false where the end-of-turn weights cannot be loaded."""

    settings: ProviderSettings
    vad_executor: ThreadPoolExecutor
    http_session: aiohttp.ClientSession
    turn_detection: bool
    moonshine: MoonshineModel | None
    hibari: HibariVoice | None
    espeak: EspeakVoice | None

    async def aclose(self) -> None:
        for model in (self.moonshine, self.hibari, self.espeak):
            if model is not None:
                await model.aclose()
        await self.http_session.close()
        self.vad_executor.shutdown(wait=False)


async def load_models(settings: ProviderSettings) -> WarmModels:
    """Load and run everything once, so that the first call is as fast as the hundredth.

    Takes about 3 s, in executor threads; with keys of providers another 2 s in this one, because
    the engine's plugins refuse to be imported by any other than the main thread.
    """
    _preload_providers(settings)
    turn_detection, moonshine, hibari, espeak = await asyncio.gather(
        asyncio.to_thread(_warm_turn_taking),
        asyncio.to_thread(_load_moonshine),
        asyncio.to_thread(_load_hibari),
        asyncio.to_thread(_load_espeak),
    )
    return WarmModels(
        settings=settings,
        vad_executor=ThreadPoolExecutor(os.cpu_count() or 1, thread_name_prefix="vad"),
        http_session=aiohttp.ClientSession(),
        turn_detection=turn_detection,
        moonshine=moonshine,
        hibari=hibari,
        espeak=espeak,
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
        from pipelines.providers.local.moonshine_model import MoonshineModel
    except (ImportError, OSError) as error:
        log.warning("local_speech_to_text_unavailable", error=str(error))
        return None
    return MoonshineModel.load()


def _load_hibari() -> HibariVoice | None:
    try:
        from pipelines.providers.local.hibari_voice import HibariVoice
    except (ImportError, OSError) as error:
        log.warning("local_english_voice_unavailable", error=str(error))
        return None
    return HibariVoice.load()


def _load_espeak() -> EspeakVoice | None:
    try:
        from pipelines.providers.local.espeak_voice import EspeakError, EspeakVoice
    except (ImportError, OSError) as error:
        log.warning("local_voices_unavailable", error=str(error))
        return None
    try:
        return EspeakVoice.load()
    except EspeakError as error:
        log.warning("local_voices_unavailable", error=str(error))
        return None


def _preload_providers(settings: ProviderSettings) -> None:
    for spec in PROVIDERS:
        if spec.preload is not None and spec.is_available(settings):
            spec.preload()

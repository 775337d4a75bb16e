"""The models on this machine, loaded in this process."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

import structlog

from pipelines.engine.providers.local.end_of_turn_model import EndOfTurnModel
from pipelines.engine.providers.local.speech_models import (
    LoadedEndOfTurn,
    LoadedRecogniser,
    LoadedVoice,
)

log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class LoadedModels:
    """``None`` stands for a model whose wheel is not installed, or that cannot be loaded."""

    moonshine: LoadedRecogniser | None
    hibari: LoadedVoice | None
    espeak: LoadedVoice | None
    end_of_turn: LoadedEndOfTurn | None

    @property
    def oldest_request_seconds(self) -> float:
        return 0.0

    async def aclose(self) -> None:
        for model in (self.moonshine, self.hibari, self.espeak, self.end_of_turn):
            if model is not None:
                await model.aclose()


async def load_here() -> LoadedModels:
    """Load and run every model once, so that the first call is as fast as the hundredth.

    Takes about a second.
    """
    moonshine, hibari, espeak, end_of_turn = await asyncio.gather(
        asyncio.to_thread(_moonshine),
        asyncio.to_thread(_hibari),
        asyncio.to_thread(_espeak),
        asyncio.to_thread(_end_of_turn),
    )
    return LoadedModels(moonshine, hibari, espeak, end_of_turn)


def _moonshine() -> LoadedRecogniser | None:
    try:
        from pipelines.engine.providers.local.moonshine_model import MoonshineModel
    except (ImportError, OSError) as error:
        log.warning("local_speech_to_text_unavailable", error=str(error))
        return None
    return MoonshineModel.load()


def _hibari() -> LoadedVoice | None:
    try:
        from pipelines.engine.providers.local.hibari_voice import HibariVoice
    except (ImportError, OSError) as error:
        log.warning("local_english_voice_unavailable", error=str(error))
        return None
    return HibariVoice.load()


def _espeak() -> LoadedVoice | None:
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


def _end_of_turn() -> LoadedEndOfTurn | None:
    try:
        return EndOfTurnModel.load()
    except (OSError, RuntimeError) as error:
        log.warning("end_of_turn_model_unavailable", error=str(error))
        return None

"""The offline provider: Moonshine listens, the playbook answers, Hibari and eSpeak speak."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pipelines.engine.providers.spec import ModelRequest, ProviderSpec, ProviderUnavailable
from pipelines.texts.language import primary_language

if TYPE_CHECKING:
    from livekit.agents import llm, stt, tts

STT_MODEL = "moonshine-tiny-en"
LLM_MODEL = "playbook"
ENGLISH_VOICE_MODEL = "hibari-en"
ANY_LANGUAGE_VOICE_MODEL = "espeak"


def _build_stt(request: ModelRequest) -> stt.STT[Any]:
    from pipelines.engine.providers.local.moonshine_stt import MoonshineSTT
    from pipelines.engine.turn_handling import voice_activity

    moonshine = request.models.local.moonshine
    if request.choice.model != STT_MODEL or moonshine is None:
        raise ProviderUnavailable(f"local speech-to-text {request.choice.model} is not installed")
    if primary_language(request.plan.locale) != "en":
        raise ProviderUnavailable(f"{STT_MODEL} does not understand {request.plan.locale}")
    detector = voice_activity(request.plan.agent.advanced)
    return MoonshineSTT(moonshine, detector)


def _build_llm(request: ModelRequest) -> llm.LLM[Any]:
    from pipelines.engine.playbook_llm import PlaybookLLM

    if request.choice.model != LLM_MODEL:
        raise ProviderUnavailable(f"there is no local language model {request.choice.model}")
    plan = request.plan
    return PlaybookLLM(plan.agent, plan.variables, request.actions, locale=plan.locale)


def _build_tts(request: ModelRequest) -> tts.TTS[Any]:
    from pipelines.engine.providers.local.local_tts import LocalTTS

    voices = {
        ENGLISH_VOICE_MODEL: request.models.local.hibari,
        ANY_LANGUAGE_VOICE_MODEL: request.models.local.espeak,
    }
    voice = voices.get(request.choice.model)
    if voice is None:
        raise ProviderUnavailable(f"local voice {request.choice.model} is not installed")
    return LocalTTS(voice, model=request.choice.model, locale=request.plan.locale)


LOCAL = ProviderSpec(
    name="local",
    needs_key=False,
    stt=_build_stt,
    llm=_build_llm,
    tts=_build_tts,
    sdk=("pipelines.engine.playbook_llm",),
)

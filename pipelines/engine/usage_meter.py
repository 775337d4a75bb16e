"""What the models of one call have used, under the plan's names.

The engine has such totals, too, but stops listening to models before they have told all of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from livekit.agents import stt
from livekit.agents.metrics import (
    LLMModelUsage,
    ModelUsageCollector,
    STTModelUsage,
    TTSModelUsage,
)

from contracts.events import UsageReported
from pipelines.engine.channels.llm.supervised_llm import SupervisedLLM
from pipelines.engine.channels.realtime.supervised_realtime import SupervisedRealtime
from pipelines.engine.channels.realtime.unreported_tokens import Tokens
from pipelines.engine.channels.tts.supervised_tts import SupervisedTTS


class UsageMeter:
    def __init__(self) -> None:
        self._collected = ModelUsageCollector()
        self._language_models: list[SupervisedLLM] = []
        self._realtime_models: list[SupervisedRealtime] = []
        self._voices: list[SupervisedTTS] = []

    def follow(
        self,
        recogniser: stt.STT[Any],
        language_model: SupervisedLLM,
        voice: SupervisedTTS,
        realtime: SupervisedRealtime | None,
    ) -> None:
        """Count what these use from now on."""
        for model in (recogniser, language_model, voice):
            model.on("metrics_collected", self._collected.collect)
        if realtime is not None:
            realtime.on_usage(self._collected.collect)
            self._realtime_models.append(realtime)
        self._language_models.append(language_model)
        self._voices.append(voice)

    def reports(self) -> Iterator[UsageReported]:
        """The totals until now, of each model that was used."""
        estimated = self._estimated()
        for usage in self._collected.flatten():
            match usage:
                case STTModelUsage():
                    yield UsageReported(
                        channel="stt",
                        provider=usage.provider,
                        model=usage.model,
                        audio_ms=round(usage.audio_duration * 1000),
                        input_tokens=usage.input_tokens,
                        output_tokens=usage.output_tokens,
                    )
                case LLMModelUsage():
                    missing = estimated.pop((usage.provider, usage.model), Tokens())
                    yield UsageReported(
                        channel="llm",
                        provider=usage.provider,
                        model=usage.model,
                        input_tokens=usage.input_tokens + missing.input,
                        output_tokens=usage.output_tokens + missing.output,
                        cached_input_tokens=usage.input_cached_tokens,
                        reasoning_tokens=usage.output_reasoning_tokens + missing.reasoning,
                        estimated_input_tokens=missing.input,
                        estimated_output_tokens=missing.output,
                        input_audio_tokens=usage.input_audio_tokens + missing.input_audio,
                        cached_input_audio_tokens=usage.input_cached_audio_tokens,
                        output_audio_tokens=usage.output_audio_tokens + missing.output_audio,
                    )
                case TTSModelUsage():
                    missing_ms = self._unheard_ms(usage.provider, usage.model)
                    yield UsageReported(
                        channel="tts",
                        provider=usage.provider,
                        model=usage.model,
                        audio_ms=round(usage.audio_duration * 1000) + missing_ms,
                        estimated_audio_ms=missing_ms,
                        input_tokens=usage.input_tokens,
                        output_tokens=usage.output_tokens,
                        characters=usage.characters_count,
                    )

        for (provider, model), missing in estimated.items():
            if missing != Tokens():
                yield UsageReported(
                    channel="llm",
                    provider=provider,
                    model=model,
                    input_tokens=missing.input,
                    output_tokens=missing.output,
                    reasoning_tokens=missing.reasoning,
                    estimated_input_tokens=missing.input,
                    estimated_output_tokens=missing.output,
                    input_audio_tokens=missing.input_audio,
                    output_audio_tokens=missing.output_audio,
                )

    def _unheard_ms(self, provider: str, model: str) -> int:
        names = provider, model
        return round(1000 * sum(each.estimated_seconds.get(names, 0.0) for each in self._voices))

    def _estimated(self) -> dict[tuple[str, str], Tokens]:
        """By provider and model."""
        found: dict[tuple[str, str], Tokens] = {}
        for language_model in self._language_models:
            for names, tokens in language_model.estimated.items():
                told = Tokens(
                    tokens.input_tokens,
                    tokens.output_tokens,
                    reasoning=tokens.reasoning_tokens,
                )
                found[names] = found.get(names, Tokens()) + told
        for realtime in self._realtime_models:
            names = realtime.provider, realtime.model
            found[names] = found.get(names, Tokens()) + realtime.estimated
        return found

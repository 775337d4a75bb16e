"""What the models of one call have used, under the plan's names.

The engine has such totals, too, but stops listening to models before they have told all of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from livekit.agents import stt, tts
from livekit.agents.metrics import (
    LLMModelUsage,
    ModelUsageCollector,
    STTModelUsage,
    TTSModelUsage,
)

from contracts.events import UsageReported
from pipelines.engine.channels.llm.supervised_llm import SupervisedLLM
from pipelines.engine.channels.realtime.supervised_realtime import SupervisedRealtime


class UsageMeter:
    def __init__(self) -> None:
        self._collected = ModelUsageCollector()
        self._language_models: list[SupervisedLLM] = []

    def follow(
        self,
        recogniser: stt.STT[Any],
        language_model: SupervisedLLM,
        voice: tts.TTS[Any],
        realtime: SupervisedRealtime | None,
    ) -> None:
        """Count what these use from now on."""
        for model in (recogniser, language_model, voice):
            model.on("metrics_collected", self._collected.collect)
        if realtime is not None:
            realtime.on_usage(self._collected.collect)
        self._language_models.append(language_model)

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
                    read, written = estimated.pop((usage.provider, usage.model), (0, 0))
                    yield UsageReported(
                        channel="llm",
                        provider=usage.provider,
                        model=usage.model,
                        input_tokens=usage.input_tokens + read,
                        output_tokens=usage.output_tokens + written,
                        cached_input_tokens=usage.input_cached_tokens,
                        reasoning_tokens=usage.output_reasoning_tokens,
                        estimated_input_tokens=read,
                        estimated_output_tokens=written,
                        input_audio_tokens=usage.input_audio_tokens,
                        cached_input_audio_tokens=usage.input_cached_audio_tokens,
                        output_audio_tokens=usage.output_audio_tokens,
                    )
                case TTSModelUsage():
                    yield UsageReported(
                        channel="tts",
                        provider=usage.provider,
                        model=usage.model,
                        audio_ms=round(usage.audio_duration * 1000),
                        input_tokens=usage.input_tokens,
                        output_tokens=usage.output_tokens,
                        characters=usage.characters_count,
                    )

        for (provider, model), (read, written) in estimated.items():
            if read or written:
                yield UsageReported(
                    channel="llm",
                    provider=provider,
                    model=model,
                    input_tokens=read,
                    output_tokens=written,
                    estimated_input_tokens=read,
                    estimated_output_tokens=written,
                )

    def _estimated(self) -> dict[tuple[str, str], tuple[int, int]]:
        """Input and output tokens, by provider and model."""
        found: dict[tuple[str, str], tuple[int, int]] = {}
        for language_model in self._language_models:
            for names, tokens in language_model.estimated.items():
                read, written = found.get(names, (0, 0))
                found[names] = read + tokens.input_tokens, written + tokens.output_tokens
        return found

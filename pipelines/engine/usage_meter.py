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


class UsageMeter:
    def __init__(self) -> None:
        self._collected = ModelUsageCollector()
        self._language_models: list[SupervisedLLM] = []

    def follow(
        self, recogniser: stt.STT[Any], language_model: SupervisedLLM, voice: tts.TTS[Any]
    ) -> None:
        """Count what these use from now on."""
        for model in (recogniser, language_model, voice):
            model.on("metrics_collected", self._collected.collect)
        self._language_models.append(language_model)

    def reports(self) -> Iterator[UsageReported]:
        """The totals until now, of each model that was used."""
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
                    read, written = self._estimated(usage.provider, usage.model)
                    yield UsageReported(
                        channel="llm",
                        provider=usage.provider,
                        model=usage.model,
                        input_tokens=usage.input_tokens,
                        output_tokens=usage.output_tokens,
                        cached_input_tokens=usage.input_cached_tokens,
                        reasoning_tokens=usage.output_reasoning_tokens,
                        estimated_input_tokens=read,
                        estimated_output_tokens=written,
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

    def _estimated(self, provider: str, model: str) -> tuple[int, int]:
        found = [each.estimated.get((provider, model)) for each in self._language_models]
        tokens = [each for each in found if each is not None]
        return sum(each.input_tokens for each in tokens), sum(each.output_tokens for each in tokens)

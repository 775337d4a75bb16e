"""Estimates the tokens of a realtime model's answers that ended before the vendor told how many.
Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from livekit.agents.metrics import RealtimeModelMetrics

from pipelines.engine.channels.llm.estimated_tokens import USUAL_CHARACTERS_PER_TOKEN


@dataclass(frozen=True)
class Tokens:
    """Audio and reasoning are parts of the others."""

    input: int = 0
    output: int = 0
    input_audio: int = 0
    output_audio: int = 0
    reasoning: int = 0

    def __add__(self, other: Tokens) -> Tokens:
        return Tokens(
            self.input + other.input,
            self.output + other.output,
            self.input_audio + other.input_audio,
            self.output_audio + other.output_audio,
            self.reasoning + other.reasoning,
        )


@dataclass(frozen=True)
class _PerSecond:
    heard: float
    spoken: float


_OPENAI = _PerSecond(heard=10, spoken=20)
_PER_SECOND: Mapping[str, _PerSecond] = MappingProxyType(
    {"openai": _OPENAI, "google": _PerSecond(heard=25, spoken=25)}
)
"""Sources: https://platform.openai.com/docs/guides/realtime-costs,
https://ai.google.dev/gemini-api/docs/pricing (Live API)"""


class UnreportedTokens:
    """Of one session. A request is read with all that was said before. So an answer has read what
    the last one whose tokens were told had read and written, and the caller's turn after it."""

    def __init__(self, provider: str) -> None:
        self._rates = _PER_SECOND.get(provider, _OPENAI)
        self._prompt = 0
        self._before: Tokens | None = None
        """Of the last answer that was told."""
        self._heard_seconds = 0.0

    def prompt(self, characters: int) -> None:
        """Of the instructions."""
        self._prompt = round(characters / USUAL_CHARACTERS_PER_TOKEN)

    def heard(self, seconds: float) -> None:
        """Of the caller's turn. The model reads it with the next request."""
        self._heard_seconds += seconds

    def reported(self, metrics: RealtimeModelMetrics) -> None:
        self._heard_seconds = 0.0
        self._before = Tokens(
            metrics.input_tokens,
            metrics.output_tokens,
            metrics.input_token_details.audio_tokens,
            metrics.output_token_details.audio_tokens,
        )

    def unreported(self, characters: int, spoken_seconds: float) -> Tokens:
        """Of an answer of which so much has come."""
        heard = round(self._heard_seconds * self._rates.heard)
        spoken = round(spoken_seconds * self._rates.spoken)
        before = self._before or Tokens(input=self._prompt)
        return Tokens(
            input=before.input + before.output + heard,
            output=round(characters / USUAL_CHARACTERS_PER_TOKEN) + spoken,
            input_audio=before.input_audio + before.output_audio + heard,
            output_audio=spoken,
        )

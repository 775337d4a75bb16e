"""The result of stack resolution."""

from __future__ import annotations

from dataclasses import dataclass

from contracts.call_plan import Channel, ResolvedStack

CHANNELS: tuple[Channel, ...] = ("stt", "llm", "tts")

CHANNEL_NAMES: dict[Channel, str] = {
    "stt": "speech-to-text",
    "llm": "language",
    "tts": "text-to-speech",
}


@dataclass(frozen=True)
class StackChoice:
    """``warnings`` are sentences about what differs from the agent's configuration."""

    stack: ResolvedStack
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True)
class StackProblem:
    """Why no stack can serve the agent in the locale."""

    channel: Channel | None
    """The channel that cannot be served; ``None`` if it is the managed SKU as a whole."""
    reason: str
    """A sentence that tells the agent's owner what to do."""
    field: str = "supported_languages"
    """The JSON field of the agent to change."""

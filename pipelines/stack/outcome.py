"""What stack resolution answers."""

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
    """``warnings`` are sentences about what differs from what the agent asks for."""

    stack: ResolvedStack
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True)
class StackProblem:
    """Why no stack can serve the agent in the locale."""

    channel: Channel | None
    """The part that cannot be served; ``None`` where it is the managed SKU as a whole."""
    reason: str
    """A sentence for the agent's owner that says what to do."""
    field: str = "supported_languages"
    """The agent's field to change, by its name on the wire."""

"""Which channels the media workers of this build can serve with which provider.

Apart from ``registry``, whose factories name the engine, so that the control plane can ask.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from contracts.call_plan import Channel

_CHANNELS: Mapping[str, frozenset[Channel]] = MappingProxyType(
    {
        "local": frozenset({"stt", "llm", "tts"}),
        "openai": frozenset({"stt", "llm", "tts"}),
        "google": frozenset({"stt", "llm", "tts"}),
        "anthropic": frozenset({"llm"}),
        "deepgram": frozenset({"stt", "tts"}),
        "elevenlabs": frozenset({"stt", "tts"}),
        "cartesia": frozenset({"stt", "tts"}),
    }
)


def runnable_channels() -> Mapping[str, frozenset[Channel]]:
    """By provider, the channels that can be served given a key. The catalogue promises nothing
    else."""
    return _CHANNELS

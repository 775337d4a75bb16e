"""What the media workers of this build can run: channels by provider, and tools.

This table names no engine, so the control plane can import it. The factories behind it are in
``pipelines.engine.providers``.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from contracts.call_plan import Channel
from contracts.tool_bindings import ToolType

RUNNABLE_CHANNELS: Mapping[str, frozenset[Channel]] = MappingProxyType(
    {
        "local": frozenset({"stt", "llm", "tts"}),
        "openai": frozenset({"stt", "llm", "tts"}),
        "google": frozenset({"stt", "llm", "tts"}),
        "anthropic": frozenset({"llm"}),
        "deepgram": frozenset({"stt", "tts"}),
        "elevenlabs": frozenset({"stt", "tts"}),
        "cartesia": frozenset({"stt", "tts"}),
        "openai_compatible": frozenset({"llm"}),
        "custom": frozenset({"stt", "llm", "tts"}),
    }
)
"""The channels that each provider serves, given a key; ``openai_compatible`` and ``custom``, given
an address."""

REALTIME_PROVIDERS = frozenset({"openai", "google"})
"""The providers of which workers can run the realtime models, given a key."""

REALTIME_TRANSCRIBERS: Mapping[str, str] = MappingProxyType({"openai": "gpt-4o-mini-transcribe"})
"""By provider: the model that writes down what its realtime models hear. Google's do it themselves,
for nothing."""

RUNNABLE_TOOLS: frozenset[ToolType] = frozenset(
    {"end_call", "call_webhook", "handoff", "transfer", "send_dtmf", "mcp"}
)
"""``pipelines.engine.tools`` gives these to the language model."""
PLAYBOOK_TOOLS: frozenset[ToolType] = frozenset({"end_call", "call_webhook", "transfer"})
"""The playbook engine calls these by itself, ``call_webhook`` once it knows the slots that are its
arguments, ``transfer`` when a person is asked for or the escalation rule says so."""

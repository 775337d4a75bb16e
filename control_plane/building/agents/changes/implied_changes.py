"""Changes of other fields that follow from a change, so that assistants need not know them. Pure.

Fields are given by path (``control_plane.building.agents.changes.flat_keys``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from contracts.agent_config import AgentConfig

_CHANNELS = ("llm", "stt", "tts", "llm_fallback", "stt_fallback", "tts_fallback")
_BUNDLED = tuple(
    f"{channel}_{part}"
    for channel in ("stt", "tts", "stt_fallback", "tts_fallback")
    for part in ("provider", "model")
)
_VOICE_OF_PERSONA = "persona.voiceConfig.voiceId"

_Values = Mapping[str, Any]


def implied_changes(
    values: _Values, changed: _Values, is_realtime: Callable[[str], bool]
) -> dict[str, Any]:
    """
    Args:
        values: the whole configuration, with ``changed`` in it; not yet validated.
        is_realtime: tells whether a model id belongs to a realtime model.

    The rules. None of them sets a field that is in ``changed`` itself:

    - a new provider clears the old provider's model;
    - a realtime ``llm_model`` clears the speech providers and models, which it includes;
    - ``language`` is added to ``supported_languages``;
    - ``agent_kind`` custom clears ``managed_sku_id``, and a ``managed_sku_id`` makes it managed;
    - ``voice`` clears the persona's voice, which would otherwise take precedence.
    """
    return {
        path: value
        for path, value in _implied(values, changed, is_realtime)
        if path not in changed and values.get(path) != value
    }


def _implied(
    values: _Values, changed: _Values, is_realtime: Callable[[str], bool]
) -> Iterator[tuple[str, Any]]:
    for channel in _CHANNELS:
        if f"{channel}_provider" in changed:
            yield f"{channel}_model", None
    model = changed.get("llm_model")
    if isinstance(model, str) and is_realtime(model):
        yield from ((path, None) for path in _BUNDLED)
    supported = values.get("supported_languages")
    language = values.get("language", AgentConfig.model_fields["language"].default)
    if isinstance(supported, list) and supported and language not in supported:
        yield "supported_languages", [language, *supported]
    if changed.get("agent_kind") == "custom":
        yield "managed_sku_id", None
    if changed.get("managed_sku_id") is not None:
        yield "agent_kind", "managed"
    if "voice" in changed:
        yield _VOICE_OF_PERSONA, None

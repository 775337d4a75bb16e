"""Moving an agent onto a managed SKU, and off it, as changes to its configuration. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from contracts.agent_config import AgentConfig
from control_plane.platform.errors import InvalidRequest
from pipelines.stack import CHANNELS, SkuEntry, StackCatalogue
from pipelines.texts.language import covers

_OWN_CHOICES = (
    *(
        f"{channel}{role}_{part}"
        for channel in CHANNELS
        for role in ("", "_fallback")
        for part in ("provider", "model")
    ),
    "custom_llm_url",
    "custom_voice_url",
    "custom_transcriber_url",
)
"""The fields that a managed SKU decides for the agent."""


def onto_managed_sku(
    agent: AgentConfig, catalogue: StackCatalogue, sku_id: str, language: str | None
) -> dict[str, Any]:
    """The changes that give the agent the models and the voice of ``sku_id``.

    Args:
        language: the agent's new primary language; ``None`` keeps the current one.

    Of the other languages, the agent keeps those that the SKU supports.

    Raises:
        InvalidRequest: no such SKU is offered, or it does not support the language.
    """
    sku = catalogue.sku(sku_id)
    if sku is None or not sku.is_active:
        raise InvalidRequest.at(
            "managed_sku_id",
            f"no managed SKU {sku_id!r} is offered; choose one from GET /v1/managed-skus",
        )
    primary = language or agent.language
    if not covers(sku.languages, primary):
        raise InvalidRequest.at(
            "language",
            f"the managed SKU {sku_id} does not support {primary}; it supports "
            f"{', '.join(sku.languages)}",
        )
    kept = [tag for tag in agent.languages if covers(sku.languages, tag)]
    return {
        **dict.fromkeys(_OWN_CHOICES),
        "agent_kind": "managed",
        "managed_sku_id": sku_id,
        "language": primary,
        "supported_languages": list(dict.fromkeys((primary, *kept))),
        "voice": sku.voice,
    }


def off_managed_sku(
    agent: AgentConfig, catalogue: StackCatalogue, provider_config: Mapping[str, Any]
) -> dict[str, Any]:
    """The changes that make the SKU's models and voice the agent's own choice.

    Args:
        provider_config: the agent's, whose fallbacks it keeps.

    The agent sounds the same as before, and each of its models can now be changed. Nothing
    changes for an agent that is already custom.
    """
    if agent.agent_kind == "custom":
        return {}
    changes: dict[str, Any] = {"agent_kind": "custom", "managed_sku_id": None}
    sku = catalogue.sku(agent.managed_sku_id)
    return changes if sku is None else changes | _choices_of(sku, agent, provider_config)


def _choices_of(
    sku: SkuEntry, agent: AgentConfig, provider_config: Mapping[str, Any]
) -> dict[str, Any]:
    choices: dict[str, Any] = {"voice": sku.voice}
    for channel, name in zip(CHANNELS, (sku.stt, sku.llm, sku.tts), strict=True):
        choices |= {f"{channel}_provider": name.provider, f"{channel}_model": name.model}
        if spare := (provider_config[channel] or {}).get("fallback"):
            choices[f"{channel}_fallback_provider"] = spare["provider"]
            choices[f"{channel}_fallback_model"] = spare["model"]
    if agent.persona.voice_config.voice_id:
        # Otherwise it would take precedence over ``voice``.
        choices["persona"] = {"voiceConfig": {"voiceId": sku.voice}}
    return choices

"""Models, voices and prices that agents can use."""

from __future__ import annotations

from switchboard_client.models import LlmOptions, SkuList, VoiceList
from switchboard_client.operation import Operation, get
from switchboard_client.request import query


def models() -> Operation[LlmOptions]:
    """All models and voices that an agent can use."""
    return get("/v1/agents/llm-options", LlmOptions)


def voices(
    *,
    provider: str | None = None,
    language: str | None = None,
    gender: str | None = None,
    model: str | None = None,
) -> Operation[VoiceList]:
    asked = query(provider=provider, language=language, gender=gender, model=model)
    return get("/v1/agents/voices", VoiceList, asked)


def managed_skus() -> Operation[SkuList]:
    """Combinations of models with a fixed price per minute."""
    return get("/v1/managed-skus", SkuList)

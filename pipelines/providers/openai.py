"""OpenAI and servers that speak its protocol."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pipelines.providers.spec import ModelRequest, ProviderSpec, ProviderUnavailable
from pipelines.settings import ProviderSettings

if TYPE_CHECKING:
    from livekit.agents import llm

_TIMEOUT_SECONDS = 10.0


def _has_key(settings: ProviderSettings) -> bool:
    return settings.openai_api_key is not None


def _preload() -> None:
    import livekit.plugins.openai  # noqa: F401


def _build_llm(request: ModelRequest) -> llm.LLM[Any]:
    import httpx2
    from livekit.agents import NOT_GIVEN
    from livekit.plugins import openai

    settings = request.models.settings
    if settings.openai_api_key is None:
        raise ProviderUnavailable("openai has no key")
    return openai.LLM(
        model=request.choice.model,
        api_key=settings.openai_api_key,
        base_url=settings.openai_base_url or NOT_GIVEN,
        timeout=httpx2.Timeout(_TIMEOUT_SECONDS),
        max_retries=0,
    )


OPENAI = ProviderSpec(name="openai", is_available=_has_key, llm=_build_llm, preload=_preload)

"""The operator's own server with OpenAI's Chat Completions: Ollama, vLLM, llama.cpp and others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pipelines.engine.providers.openai import OPENAI, prepare_chat
from pipelines.engine.providers.spec import ModelRequest, ProviderSpec
from pipelines.settings import OPENAI_COMPATIBLE

if TYPE_CHECKING:
    from livekit.agents import llm

_NO_KEY = "none"
"""The SDK wants one; servers that need none ignore it."""
_TIMEOUT_SECONDS = 10.0


def _build_llm(request: ModelRequest) -> llm.LLM[Any]:
    import httpx2
    import openai
    from livekit.plugins import openai as plugin

    client = openai.AsyncClient(
        api_key=request.models.settings.api_keys.get(OPENAI_COMPATIBLE) or _NO_KEY,
        base_url=request.base_url,
        timeout=httpx2.Timeout(_TIMEOUT_SECONDS),
        max_retries=0,
        http_client=request.models.http_client,
    )
    prepare_chat(client)
    return plugin.LLM(model=request.choice.model, client=client)


OPENAI_COMPATIBLE_SERVER = ProviderSpec(
    name=OPENAI_COMPATIBLE,
    needs_key=False,
    needs_address=True,
    llm=_build_llm,
    plugin=OPENAI.plugin,
    sdk=OPENAI.sdk,
)

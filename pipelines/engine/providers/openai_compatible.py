"""A server with OpenAI's Chat Completions: Ollama, vLLM, llama.cpp and others.

It is the operator's, or the tenant's own, which is asked through the guarded client.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pipelines.engine.providers.openai import OPENAI, prepare_chat
from pipelines.engine.providers.spec import ModelRequest, ProviderSpec, ProviderUnavailable
from pipelines.settings import OPENAI_COMPATIBLE

if TYPE_CHECKING:
    from livekit.agents import llm

_NO_KEY = "none"
"""The SDK wants one; servers that need none ignore it."""
_TIMEOUT_SECONDS = 10.0
_LONGEST_REQUEST_SECONDS = 60.0
"""Of a tenant's server: from the request to the last byte. The channel's deadlines are shorter."""


def _build_llm(request: ModelRequest) -> llm.LLM[Any]:
    is_own = request.choice.key_source == "own"
    return _of_tenant(request) if is_own else _of_operator(request)


def _of_tenant(request: ModelRequest) -> llm.LLM[Any]:
    from pipelines.engine.providers.custom.chat import chat_model

    url = request.plan.provider_urls.get(OPENAI_COMPATIBLE)
    if url is None:
        raise ProviderUnavailable("the call plan has no address of the tenant's own server")
    network, tenant = request.models.tenants_network, str(request.plan.tenant_id)
    http = network.client(tenant, timeout_seconds=_LONGEST_REQUEST_SECONDS)
    return chat_model(url, http, request.choice.model, key=request.api_key())


def _of_operator(request: ModelRequest) -> llm.LLM[Any]:
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

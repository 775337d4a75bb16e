"""A language model behind a tenant's own address, asked with OpenAI's Chat Completions."""

from __future__ import annotations

from typing import Any

import httpx2
import openai
from livekit.agents import llm
from livekit.plugins import openai as plugin

from outbound.api_address import api_address
from pipelines.engine.providers.openai import prepare_chat

_PATH = "/chat/completions"
_HEADERS = frozenset(
    {"accept", "accept-encoding", "connection", "content-length", "content-type", "host"}
)
"""All that are sent. The SDK adds others, and takes some from the environment: they say who pays
OpenAI, which tenants must not know."""


def chat_model(url: str, http: httpx2.AsyncClient, model: str, *, key: str = "") -> llm.LLM[Any]:
    """
    Args:
        http: a guarded client, which is closed with the model.
        key: of the tenant; empty for a server that wants none.
    """
    address = api_address(url, _PATH)

    async def as_the_tenant_expects(request: httpx2.Request) -> None:
        request.url = request.url.copy_with(query=address.query)
        for name in set(request.headers) - _HEADERS:
            del request.headers[name]
        if key:
            request.headers["Authorization"] = f"Bearer {key}"

    http.event_hooks = {"request": [as_the_tenant_expects]}
    client = openai.AsyncClient(
        api_key="none",
        base_url=address.root,
        max_retries=0,
        http_client=http,
    )
    prepare_chat(client)
    chat = plugin.LLM(model=model, client=client)
    chat._owns_client = True
    return chat

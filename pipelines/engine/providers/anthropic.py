"""Anthropic's language models."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pipelines.engine.providers.spec import ModelRequest, ProviderSpec
from pipelines.engine.providers.whole_stream import WholeStream

if TYPE_CHECKING:
    from livekit.agents import llm

_TIMEOUT_SECONDS = 10.0


def _build_llm(request: ModelRequest) -> llm.LLM[Any]:
    import httpx2
    from anthropic import AsyncClient
    from livekit.plugins import anthropic

    key = request.api_key()
    client = AsyncClient(
        api_key=key,
        base_url=request.base_url,
        timeout=httpx2.Timeout(_TIMEOUT_SECONDS),
        max_retries=0,
        http_client=request.models.http_client,
    )
    create = client.messages.create

    async def create_whole(**options: Any) -> Any:
        return WholeStream(await create(**options), lambda event: event.type == "message_stop")

    client.messages.create = create_whole  # type: ignore[method-assign]
    return anthropic.LLM(model=request.choice.model, api_key=key, client=client)


ANTHROPIC = ProviderSpec(
    name="anthropic", llm=_build_llm, plugin="livekit.plugins.anthropic", sdk=("anthropic",)
)

"""Anthropic's language models."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from pipelines.engine.providers.request_sent import tell_when_sent
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
    tell_when_sent(client)
    create = client.messages.create

    async def create_whole(**options: Any) -> Any:
        options["messages"] = with_texts_as_results(options["messages"])
        return WholeStream(await create(**options), lambda event: event.type == "message_stop")

    client.messages.create = create_whole  # type: ignore[method-assign]
    return anthropic.LLM(model=request.choice.model, api_key=key, client=client)


def with_texts_as_results(messages: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The messages of a request, in which each result of a tool is a text.

    The plugin reads a result that is a JSON array, and sends its values as if they were parts of a
    message. Anthropic refuses that, and with it every later turn of the conversation.
    """
    return [{**message, "content": _with_texts(message["content"])} for message in messages]


def _with_texts(content: Any) -> Any:
    return content if isinstance(content, str) else [_with_text(block) for block in content]


def _with_text(block: Mapping[str, Any]) -> Mapping[str, Any]:
    if block["type"] != "tool_result" or isinstance(block["content"], str):
        return block
    return {**block, "content": json.dumps(block["content"], ensure_ascii=False)}


ANTHROPIC = ProviderSpec(
    name="anthropic", llm=_build_llm, plugin="livekit.plugins.anthropic", sdk=("anthropic",)
)

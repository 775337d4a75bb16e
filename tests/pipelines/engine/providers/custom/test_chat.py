"""What a tenant's own language model is sent."""

from __future__ import annotations

from typing import Any

import pytest
from livekit.agents import APIConnectOptions, APIStatusError, llm

from pipelines.engine.providers.custom.chat import chat_model
from tests.stand_ins.openai_wire import OpenAIWire, fails, says
from tests.stand_ins.own_tls import OwnTls


async def said(model: llm.LLM[Any]) -> str:
    context = llm.ChatContext.empty()
    context.add_message(role="user", content="Hello?")
    once = APIConnectOptions(max_retry=0, timeout=2.0)
    async with model.chat(chat_ctx=context, conn_options=once) as stream:
        return "".join([chunk.delta.content or "" async for chunk in stream if chunk.delta])


async def test_the_request_goes_to_the_address_with_its_query(tls: OwnTls) -> None:
    async with OpenAIWire([says("Good morning.")], tls=tls.server).serving() as wire:
        url = f"{wire.base_url}/?key=s3cret&tenant=a%26b"
        model = chat_model(url, tls.network.client("t", timeout_seconds=5), "ours-7b")
        assert await said(model) == "Good morning."
        await model.aclose()
    assert wire.paths == ["/v1/chat/completions?key=s3cret&tenant=a%26b"]
    assert wire.requests[0]["model"] == "ours-7b"
    assert wire.requests[0]["messages"] == [{"role": "user", "content": "Hello?"}]


async def test_the_platform_s_own_account_is_not_told(
    tls: OwnTls, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("API_KEY", "ADMIN_KEY", "ORG_ID", "PROJECT_ID"):
        monkeypatch.setenv(f"OPENAI_{name}", "of-the-platform")
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "X-Secret: of-the-platform")
    monkeypatch.setenv("OPENAI_BASE_URL", "https://127.0.0.1:1/v1")
    async with OpenAIWire(tls=tls.server).serving() as wire:
        model = chat_model(wire.base_url, tls.network.client("t", timeout_seconds=5), "m")
        await said(model)
        await model.aclose()
    assert "of-the-platform" not in repr(wire.headers)
    assert "authorization" not in wire.headers[0]


async def test_a_redirect_is_a_failure(tls: OwnTls) -> None:
    moved = fails(308, Location="https://127.0.0.1:1/v1/chat/completions")
    async with OpenAIWire([moved], tls=tls.server).serving() as wire:
        model = chat_model(wire.base_url, tls.network.client("t", timeout_seconds=5), "m")
        with pytest.raises(APIStatusError) as refused:
            await said(model)
        assert refused.value.status_code == 308
        await model.aclose()
    assert len(wire.requests) == 1

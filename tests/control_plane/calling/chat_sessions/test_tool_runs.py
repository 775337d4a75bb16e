"""A chat's webhooks: what a model asks for that cannot be sent."""

from __future__ import annotations

from datetime import date
from uuid import UUID

import httpx2

from contracts.agent_config import AgentConfig
from control_plane.calling.chat_sessions.chat_agent import ChatAgent
from control_plane.calling.chat_sessions.tool_runs import CalledWebhooks
from tests.pipelines.plans import LOCAL_STACK

SEARCH = {
    "type": "call_webhook",
    "name": "search",
    "description": "Searches.",
    "url": "https://example.com/search",
    "method": "GET",
    "parameters": {"type": "object", "properties": {"words": {"type": "string"}}},
}


async def test_arguments_that_are_too_long_for_an_address_are_the_models_fault() -> None:
    agent = ChatAgent(
        tenant_id=UUID(int=1),
        config=AgentConfig.model_validate({"name": "Ada", "tools": [SEARCH]}),
        compiled_prompt="",
        locale="en-US",
        llm=LOCAL_STACK.llm,
        variables={},
        began_on=date(2026, 1, 1),
        runs_tools=True,
    )
    async with httpx2.AsyncClient() as http:
        use = await CalledWebhooks(agent, http, ()).use("search", {"words": "x" * 70_000})
    assert use.outcome == "failed"
    assert "do not fit" in (use.result or "")

"""What is sent on the wire of Chat Completions, and what is read from it."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime
from typing import Any
from uuid import uuid4

import pytest

from contracts.agent_config import AgentConfig
from contracts.call_plan import ProviderChoice, ResolvedChannel
from control_plane.calling.chat_sessions.chat_agent import ChatAgent
from control_plane.calling.chat_sessions.completions import (
    Answer,
    chat_address,
    request_body,
    uses_told,
    wanted_tools,
)
from control_plane.calling.chat_sessions.conversation import (
    ChatMessage,
    ToolUse,
    documents_of,
    read_messages,
)
from pipelines.settings import VENDOR_BASE_URLS

NOW = datetime(2026, 1, 5, 9, 30, tzinfo=UTC)


def an_agent(**fields: Any) -> ChatAgent:
    return ChatAgent(
        tenant_id=uuid4(),
        config=AgentConfig.model_validate({"name": "Mia"} | fields),
        compiled_prompt="You are Mia.",
        locale="en-US",
        llm=ResolvedChannel(primary=ProviderChoice(provider="openai", model="gpt-6-luna")),
        variables={"company": "Bright Smile"},
        began_on=date(2026, 1, 5),
        runs_tools=False,
    )


def an_answer(**message: Any) -> Answer:
    return Answer.model_validate_json(json.dumps({"choices": [{"message": message}]}))


@pytest.mark.parametrize(
    ("provider", "address"),
    [
        ("openai", "https://api.openai.com/v1/chat/completions"),
        (
            "google",
            "https://generativelanguage.googleapis.com/v1beta/openai/chat/completions",
        ),
        ("anthropic", "https://api.anthropic.com/v1/chat/completions"),
    ],
)
def test_each_provider_is_asked_at_its_address_for_this_wire(provider: str, address: str) -> None:
    assert chat_address(provider, VENDOR_BASE_URLS[provider]) == address


def test_models_that_reason_by_themselves_are_told_not_to() -> None:
    bodies = {
        model: request_body(an_agent(), "openai", model, ()) for model in ("gpt-6-luna", "gpt-4o")
    }
    assert bodies["gpt-6-luna"]["reasoning_effort"] == "none"
    assert "reasoning_effort" not in bodies["gpt-4o"]


def test_a_tenants_server_gets_the_older_name_of_the_limit() -> None:
    assert "max_tokens" in request_body(an_agent(), "custom", "llama", ())
    assert "max_completion_tokens" in request_body(an_agent(), "openai", "gpt-4o", ())


def test_tools_are_described_with_the_variables_of_the_chat() -> None:
    ending = {"type": "end_call", "description": "Hang up for {{ company }}."}
    (tool,) = request_body(an_agent(tools=[ending]), "openai", "gpt-4o", ())["tools"]
    assert tool["function"]["description"] == "Hang up for Bright Smile."


def test_what_a_provider_sends_with_a_tool_call_is_sent_back() -> None:
    call = {
        "id": "1",
        "type": "function",
        "function": {"name": "book", "arguments": "{}"},
        "extra_content": {"google": {"thought_signature": "abc"}},
    }
    answer = an_answer(content=None, tool_calls=[call])
    (wanted,) = wanted_tools(answer, ["book"])
    use = ToolUse(name="book", arguments={}, outcome="done", result="ok")
    own, result = uses_told(answer, [(wanted, use)])
    assert own["tool_calls"] == [call]
    assert result == {"role": "tool", "tool_call_id": "1", "content": "ok"}


@pytest.mark.parametrize("arguments", ["", "[1]", "{", "null", "[" * 5_000])
def test_arguments_that_are_no_object_count_as_none(arguments: str) -> None:
    function = {"name": "book", "arguments": arguments}
    answer = an_answer(tool_calls=[{"id": "1", "type": "function", "function": function}])
    (wanted,) = wanted_tools(answer, ["book"])
    assert wanted.arguments == {}
    assert wanted_tools(answer, ["end_call"]) == []


def test_messages_are_read_as_they_were_stored() -> None:
    use = ToolUse(name="book", arguments={"day": "Monday"}, outcome="would_call")
    said = (
        ChatMessage(role="caller", text="Monday?", created_at=NOW),
        ChatMessage(role="agent", text="Done.", created_at=NOW, tools=(use,)),
    )
    assert read_messages(json.loads(json.dumps(documents_of(said)))) == said

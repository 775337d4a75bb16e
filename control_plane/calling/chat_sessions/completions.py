"""One request for an agent's next words, on the wire of Chat Completions. Pure.

OpenAI and tenants' own endpoints speak it; Google and Anthropic have a compatible address for
trying out their models (https://ai.google.dev/gemini-api/docs/openai,
https://docs.anthropic.com/en/api/openai-sdk).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from contracts.tool_bindings import END_CALL, NO_ARGUMENTS, CallWebhook, EndCall, Handoff
from control_plane.calling.chat_sessions.chat_agent import ChatAgent
from control_plane.calling.chat_sessions.conversation import Messages, ToolUse
from control_plane.platform.language_model.answer_object import read_object
from control_plane.platform.language_model.json_answers import UnusableAnswer
from pipelines.settings import OPENAI_COMPATIBLE, VENDOR_BASE_URLS
from pipelines.stack.reasoning import reasons_by_itself
from pipelines.texts.templates.template import fill_template

MOST_OUTPUT_TOKENS = 1_000
_PATHS: Mapping[str, str] = {
    "openai": "/chat/completions",
    "google": "/v1beta/openai/chat/completions",
    "anthropic": "/v1/chat/completions",
    OPENAI_COMPATIBLE: "/chat/completions",
}
CHAT_PROVIDERS = frozenset(_PATHS)
"""Whose models can be asked, besides tenants' own endpoints."""
_NOT_CALLED = (
    "This conversation is for trying you out, so the tool was not called. "
    "Go on as if it had worked."
)
_LENIENT = ConfigDict(extra="ignore")


def chat_address(provider: str, base_url: str) -> str:
    """
    Args:
        provider: one of ``CHAT_PROVIDERS``.
    """
    return base_url.rstrip("/") + _PATHS[provider]


class _Function(BaseModel):
    model_config = _LENIENT
    name: str
    arguments: str = "{}"


class _ToolCall(BaseModel):
    # Whatever else the provider sends with it has to be sent back: Google signs its thoughts.
    model_config = ConfigDict(extra="allow")
    id: str = ""
    function: _Function


class _Message(BaseModel):
    model_config = _LENIENT
    content: str | None = None
    refusal: str | None = None
    tool_calls: list[_ToolCall] | None = None


class _Choice(BaseModel):
    model_config = _LENIENT
    message: _Message


class Answer(BaseModel):
    """A provider's answer; the fields that are used."""

    model_config = _LENIENT
    choices: list[_Choice] = Field(min_length=1)

    @property
    def text(self) -> str:
        return self.choices[0].message.content or ""

    @property
    def is_refusal(self) -> bool:
        return bool(self.choices[0].message.refusal)

    @property
    def tool_calls(self) -> Sequence[_ToolCall]:
        return self.choices[0].message.tool_calls or ()


@dataclass(frozen=True)
class WantedTool:
    call: _ToolCall
    arguments: dict[str, Any]

    @property
    def name(self) -> str:
        return self.call.function.name


def wanted_tools(answer: Answer, offered: Sequence[str]) -> list[WantedTool]:
    """The tools that the model wants to use, without those that it does not have. Arguments that
    are no JSON object, or one that PostgreSQL cannot store, count as none."""
    return [
        WantedTool(call, _object(call.function.arguments))
        for call in answer.tool_calls
        if call.function.name in offered
    ]


def _object(text: str) -> dict[str, Any]:
    try:
        return read_object(text or "{}")
    except UnusableAnswer:
        return {}


def request_body(
    agent: ChatAgent, provider: str, model: str, messages: Sequence[dict[str, Any]]
) -> dict[str, Any]:
    body: dict[str, Any] = {
        "model": model,
        "messages": [{"role": "system", "content": agent.compiled_prompt}, *messages],
        "tools": offered_tools(agent),
    }
    if provider in VENDOR_BASE_URLS:
        body["max_completion_tokens"] = MOST_OUTPUT_TOKENS
    else:
        # People's own servers may know the older name only.
        body["max_tokens"] = MOST_OUTPUT_TOKENS
    if provider == "openai" and reasons_by_itself(model):
        body["reasoning_effort"] = "none"
    return body


def offered_tools(agent: ChatAgent) -> list[dict[str, Any]]:
    """What the model can do besides talking, as in a call. Tools of MCP servers are left out."""
    tools = agent.config.tools
    ending = next((tool for tool in tools if isinstance(tool, EndCall)), EndCall(type="end_call"))
    described: list[tuple[str, str, Mapping[str, Any]]] = [
        (END_CALL, ending.description, NO_ARGUMENTS)
    ]
    for tool in tools:
        if isinstance(tool, CallWebhook):
            described.append((tool.name, tool.description, tool.parameters))
        elif isinstance(tool, Handoff):
            described.append((tool.name, tool.description, NO_ARGUMENTS))
    return [
        {
            "type": "function",
            "function": {
                "name": name,
                "description": fill_template(description, agent.variables),
                "parameters": dict(parameters),
            },
        }
        for name, description, parameters in described
    ]


def history(messages: Messages) -> list[dict[str, Any]]:
    """What was said so far. The agent's tools come before the words that they led to."""
    told: list[dict[str, Any]] = []
    for number, message in enumerate(messages):
        if message.role == "caller":
            told.append({"role": "user", "content": message.text})
            continue
        calls = [
            {
                "id": f"call_{number}_{position}",
                "type": "function",
                "function": {"name": use.name, "arguments": json.dumps(use.arguments)},
            }
            for position, use in enumerate(message.tools)
        ]
        if calls:
            told.append({"role": "assistant", "content": None, "tool_calls": calls})
            told += [
                tool_result(str(call["id"]), use)
                for call, use in zip(calls, message.tools, strict=True)
            ]
        if message.text:
            told.append({"role": "assistant", "content": message.text})
    return told


def uses_told(answer: Answer, done: Sequence[tuple[WantedTool, ToolUse]]) -> list[dict[str, Any]]:
    """What the model is sent after it has used tools: its own answer, and what they returned."""
    calls = [wanted.call.model_dump() for wanted, _ in done]
    own = {"role": "assistant", "content": answer.text or None, "tool_calls": calls}
    return [own, *(tool_result(wanted.call.id, use) for wanted, use in done)]


def tool_result(call_id: str, use: ToolUse) -> dict[str, Any]:
    content = _NOT_CALLED if use.outcome == "would_call" else use.result or ""
    return {"role": "tool", "tool_call_id": call_id, "content": content}

"""The shape of tool bindings, and the field that an error names."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from contracts.agent_config import AgentConfig
from contracts.tool_bindings import MAX_TOOLS, TOOL_TYPES
from control_plane.platform.http.validation import field_errors

WEBHOOK = {
    "type": "call_webhook",
    "name": "look_up",
    "description": "Look the order up.",
    "url": "https://api.example.com/orders",
}
ONE_OF_EACH: list[dict[str, Any]] = [
    WEBHOOK,
    {
        "type": "handoff",
        "name": "to_sales",
        "description": "For new customers.",
        "agent_id": "6f1c1d9e-6a44-4f0b-9a3b-0c6de6f0f2b1",
    },
    {"type": "transfer", "name": "to_desk", "description": "A person.", "to": "+14155550100"},
    {"type": "end_call"},
    {"type": "send_dtmf"},
    {"type": "search_knowledge"},
    {"type": "mcp", "name": "crm", "url": "https://mcp.example.com/"},
]


def agent(*tools: object) -> AgentConfig:
    return AgentConfig.model_validate(
        {"name": "Desk", "tools": list(tools)}, by_alias=True, by_name=False
    )


def errors(*tools: object) -> list[dict[str, str]]:
    with pytest.raises(ValidationError) as refused:
        agent(*tools)
    return field_errors(refused.value.errors())


def test_one_of_each_kind_is_taken_and_kept() -> None:
    kept = agent(*ONE_OF_EACH)
    assert tuple(tool.type for tool in kept.tools) == TOOL_TYPES
    again = AgentConfig.model_validate(kept.model_dump(mode="json", by_alias=True))
    assert again == kept


def test_the_previous_release_reads_an_mcp_server_that_lets_callers_wait_in_silence() -> None:
    mcp = ONE_OF_EACH[-1]
    line = {"speak_while": "One moment."}
    silent, speaking = (tool.model_dump() for tool in agent(mcp, mcp | {"name": "b"} | line).tools)
    assert "speak_while" not in silent
    assert speaking["speak_while"] == "One moment."


@pytest.mark.parametrize(
    ("tool", "field"),
    [
        ({"type": "shell", "command": "rm"}, "tools[0]"),
        ({"name": "no_type"}, "tools[0]"),
        ("end_call", "tools[0]"),
        (WEBHOOK | {"name": "Not Snake"}, "tools[0].name"),
        (WEBHOOK | {"name": "x" * 65}, "tools[0].name"),
        (WEBHOOK | {"url": "http://api.example.com"}, "tools[0].url"),
        (WEBHOOK | {"method": "TRACE"}, "tools[0].method"),
        (WEBHOOK | {"timeout_seconds": 31}, "tools[0].timeout_seconds"),
        (WEBHOOK | {"description": "  "}, "tools[0].description"),
        (WEBHOOK | {"parameters": []}, "tools[0].parameters"),
        (WEBHOOK | {"headers": {"X": 1}}, "tools[0].headers.X"),
        (WEBHOOK | {"headers": {"a b": "c"}}, "tools[0].headers.a b"),
        (WEBHOOK | {"retries": 3}, "tools[0].retries"),
        (ONE_OF_EACH[1] | {"agent_id": "sales"}, "tools[0].agent_id"),
        (ONE_OF_EACH[2] | {"to": "0800 1234"}, "tools[0].to"),
        (ONE_OF_EACH[2] | {"to": "sip:desk@[::1]"}, "tools[0].to"),
        ({"type": "end_call", "name": "stop"}, "tools[0].name"),
        ({"type": "search_knowledge", "max_results": 0}, "tools[0].max_results"),
    ],
)
def test_a_wrong_field_is_named_by_its_path(tool: object, field: str) -> None:
    assert [error["field"] for error in errors(tool)] == [field]


@pytest.mark.parametrize("address", ["sip:desk@example.com", "sips:desk@example.com:5061"])
def test_a_transfer_may_go_to_a_sip_address(address: str) -> None:
    [tool] = agent(ONE_OF_EACH[2] | {"to": address}).tools
    assert tool.type == "transfer"
    assert tool.to == address


def test_an_unknown_type_is_answered_with_the_known_ones() -> None:
    [error] = errors({"type": "shell"})
    assert all(kind in error["message"] for kind in TOOL_TYPES)


def test_names_are_unique() -> None:
    [error] = errors(WEBHOOK, WEBHOOK)
    assert error["field"] == "tools"
    assert "tools[1].name 'look_up' is taken" in error["message"]


def test_no_tool_takes_the_name_of_hanging_up() -> None:
    [error] = errors(WEBHOOK | {"name": "end_call"})
    assert "belongs to the tool that hangs up" in error["message"]


def test_there_is_an_upper_limit() -> None:
    many = [WEBHOOK | {"name": f"tool_{number}"} for number in range(MAX_TOOLS + 1)]
    assert len(agent(*many[:-1]).tools) == MAX_TOOLS
    assert errors(*many)[0]["field"] == "tools"


@pytest.mark.parametrize("method", ["GET", "DELETE"])
def test_a_method_without_a_body_takes_none(method: str) -> None:
    [error] = errors(WEBHOOK | {"method": method, "body": {}})
    assert error["field"].startswith("tools[0]")
    assert f"{method} sends no `body`" in error["message"]


def test_a_body_is_small_and_flat() -> None:
    deep: dict[str, Any] = {}
    for _ in range(20):
        deep = {"a": [deep]}
    assert "20 levels" in errors(WEBHOOK | {"body": deep})[0]["message"]
    assert "32,768" in errors(WEBHOOK | {"body": {"a": "x" * 32_768}})[0]["message"]
    assert agent(WEBHOOK | {"body": {"a": ["x", 1, None]}}).tools

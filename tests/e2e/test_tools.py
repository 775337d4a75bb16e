"""An agent looks something up on its owner's server during a call, says what it found, and hangs
up."""

from __future__ import annotations

import asyncio
import json
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import httpx2
import pytest

from switchboard.caller.call_session import call_agent
from switchboard.caller.dialogue_policy import LineByLine
from switchboard.caller.prepared_speech import prepare_speech
from tests.e2e.conftest import LiveSwitchboard, running_switchboard
from tests.e2e.polling import ended_call
from tests.outbound.self_signed import self_signed_certificate
from tests.stand_ins.mcp_server import McpServer, text
from tests.stand_ins.openai_wire import Answer, OpenAIWire, calls, says
from tests.stand_ins.tenant_api import Reply, TenantApi

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(180)]

OWN_KEY = "sk-the-tenants-own-key-1234"
SECRET = "t0ken-of-the-restaurant"
LINE = "Do you have a table for four people on Tuesday?"
THAT_IS_ALL = "No, thank you, that is all."
GOODBYE = "Goodbye."
"""A caller who has nothing more to say hangs up in the first pause of the agent's last words. On a
busy machine there are such pauses."""
LAST_WORDS = (
    "Thank you for calling the restaurant at the old harbor. We are open every day from noon until "
    "late in the evening, and our kitchen closes at ten. If you come by car, please use the garage "
    "behind the church, because the street is closed to cars. "
    "We look forward to seeing you on Tuesday. Please ring at the yellow door."
)
"""They take twenty seconds."""


def answer(request: dict[str, Any]) -> Answer:
    if "that is all" in str(request["messages"][-1]["content"]).lower():
        return calls("end_call")
    results = [each["content"] for each in request["messages"] if each["role"] == "tool"]
    if not results:
        offered = [each["function"]["name"] for each in request["tools"]]
        name = next(name for name in offered if name.endswith("find_table"))
        return calls(name, '{"day": "Tuesday", "guests": 4}')
    return says(f"There is a table {json.loads(results[-1])['place']}.")


async def test_a_tool_answers_on_the_call_and_its_secret_stays_secret(tmp_path: Path) -> None:
    served, _ = self_signed_certificate(tmp_path, "127.0.0.1")
    slow = Reply(json.dumps({"place": "by the window", "you_sent": SECRET}), delay_seconds=1.5)
    async with (
        OpenAIWire(answer_to=answer).serving() as wire,
        TenantApi([slow]).serving(served) as api,
    ):
        tool = {
            "type": "call_webhook",
            "name": "find_table",
            "description": "Finds a free table.",
            "url": f"{api.url}/tables",
            "headers": {"Authorization": f"Bearer {SECRET}"},
            "parameters": {
                "type": "object",
                "properties": {"day": {"type": "string"}, "guests": {"type": "integer"}},
                "required": ["day", "guests"],
            },
            "body": {"when": "{{ day }}", "people": "{{ guests }}", "channel": "phone"},
            "speak_while": "One moment please, I will look.",
        }
        heard, events = await _call_with(tool, wire, tmp_path, LINE, THAT_IS_ALL, GOODBYE, GOODBYE)

    assert "one moment" in heard
    assert "thank you for calling" in heard, "the model has hung up without a word"
    assert heard.endswith("yellow door.")
    assert "by the window" in heard
    [asked] = api.asked
    assert asked.headers["Authorization"] == f"Bearer {SECRET}"
    assert json.loads(asked.text) == {"when": "Tuesday", "people": 4, "channel": "phone"}
    assert 1_500 <= _use_of("find_table", events) < 10_000
    assert SECRET not in str(events)
    assert SECRET not in str(wire.requests)


async def test_a_tool_of_an_mcp_server_answers_and_its_secret_stays_secret(tmp_path: Path) -> None:
    served, _ = self_signed_certificate(tmp_path, "127.0.0.1")
    echo = json.dumps({"place": "by the window", "you_sent": SECRET})
    server = McpServer(result=lambda name, arguments: text(echo), as_events=True)
    async with (
        OpenAIWire(answer_to=answer).serving() as wire,
        server.serving(served),
    ):
        tool = {
            "type": "mcp",
            "name": "crm",
            "url": server.url,
            "headers": {"Authorization": f"Bearer {SECRET}"},
        }
        heard, events = await _call_with(tool, wire, tmp_path, LINE)

    assert "by the window" in heard
    assert server.methods == ["initialize", "notifications/initialized", "tools/list", "tools/call"]
    assert server.ended == ["session-1"]
    assert {each.headers["Authorization"] for each in server.asked} == {f"Bearer {SECRET}"}
    assert _use_of("crm_find_table", events) > 0
    listed = [event for event in events if event["message"].startswith("Tools of the MCP server")]
    assert [(line["source"], line["level"]) for line in listed] == [("runtime", "info")]
    assert SECRET not in str(events)
    assert SECRET not in str(wire.requests)


def _use_of(tool: str, events: list[Any]) -> int:
    """How long the only use of the tool took, in milliseconds."""
    [line] = [event for event in events if event["message"].startswith(f"Tool {tool} was called")]
    assert line["source"] == "runtime"
    assert line["level"] == "info"
    return int(line["message"].partition("took ")[2].partition(" ms")[0])


async def _call_with(
    tool: Any, wire: OpenAIWire, certificate: Path, *lines: str
) -> tuple[str, list[Any]]:
    """See ``_held_call``."""
    with ExitStack() as stack:
        running = running_switchboard(
            SWITCHBOARD_OPENAI_BASE_URL=wire.base_url,
            SWITCHBOARD_OUTBOUND_ALLOWED_NETWORKS="127.0.0.1/32",
            SSL_CERT_FILE=str(certificate / "server.pem"),
        )
        switchboard = await asyncio.to_thread(stack.enter_context, running)
        heard, events = await _held_call(switchboard, tool, *lines)
        await asyncio.to_thread(stack.close)
    return heard, events


async def _held_call(switchboard: LiveSwitchboard, tool: Any, *lines: str) -> tuple[str, list[Any]]:
    """What the agent was heard to say after the caller's lines, and the call's events."""
    headers = {"Authorization": f"Bearer {switchboard.account.secret_key}"}
    async with httpx2.AsyncClient(base_url=switchboard.api_url, headers=headers) as http:
        set_key = await http.put("/v1/provider-keys/openai", json={"key": OWN_KEY})
        assert set_key.status_code == 200, set_key.text
    conversation = LineByLine(lines)
    speech = await prepare_speech(conversation.lines())
    agent = {
        "name": "Desk",
        "stt_provider": "local",
        "llm_provider": "openai",
        "tts_provider": "local",
        "playbook": {"opener": "Hello there.", "endCallMessage": LAST_WORDS},
        "tools": [tool],
    }
    async with switchboard.api() as api:
        agent_id = str((await api.agents.create(agent)).id)
        await api.agents.publish(agent_id)
        summary = await call_agent(
            api, agent_id, conversation, speech, lambda _: None, asyncio.Event()
        )
        await ended_call(api, summary.call_id)
        page = await api.request("GET", f"/v1/calls/{summary.call_id}/events")
    return " ".join(turn.heard for turn in summary.turns).lower(), page["events"]

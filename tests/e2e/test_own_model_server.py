"""A tenant's own model server in a private network that the operator allows, from being set to the
call that a media worker asks it in."""

from __future__ import annotations

import asyncio
from contextlib import ExitStack
from typing import Any

import pytest

from switchboard.caller.call_session import call_agent
from switchboard.caller.dialogue_policy import LineByLine
from switchboard.caller.prepared_speech import prepare_speech
from tests.e2e.conftest import LiveSwitchboard, running_switchboard
from tests.e2e.polling import ended_call
from tests.stand_ins.openai_wire import OpenAIWire, says

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(180)]

KEY = "sk-of-the-tenants-server-1234"
LINE = "What are your opening hours?"


async def test_a_call_is_held_with_the_model_of_the_tenants_own_server() -> None:
    wire = OpenAIWire(
        [says("We are open from nine to five.")], valid_keys=[KEY], models=["llama3.2:latest"]
    )
    async with wire.serving():
        with ExitStack() as stack:
            running = running_switchboard(SWITCHBOARD_OUTBOUND_ALLOWED_NETWORKS="127.0.0.0/8")
            switchboard = await asyncio.to_thread(stack.enter_context, running)
            record, heard, charge = await _held_call(switchboard, wire.base_url)
            await asyncio.to_thread(stack.close)

    assert wire.requests, "the model was never asked"
    assert "we are open from" in heard
    assert wire.requests[0]["model"] == "llama3.2"
    assert set(wire.authorizations) == {f"Bearer {KEY}"}
    assert record["status"] == "completed"
    prices = {row["component"]: row for row in charge["metadata"]["prices"]}
    assert (prices["llm"]["provider"], prices["llm"]["model"]) == ("openai_compatible", "llama3.2")
    assert prices["llm"]["micros_per_minute"] == 0
    assert KEY not in str(record)


async def _held_call(
    switchboard: LiveSwitchboard, base_url: str
) -> tuple[dict[str, Any], str, dict[str, Any]]:
    """The call's record, what the agent was heard to answer, and the call's ledger entry."""
    conversation = LineByLine((LINE,))
    speech = await prepare_speech(conversation.lines())
    async with switchboard.api() as api:
        server = {"base_url": base_url, "models": ["llama3.2"], "key": KEY, "name": "Ollama"}
        await api.request("PUT", "/v1/provider-keys/openai_compatible", body=server)
        agent = {"name": "Desk", "playbook": {"opener": "Hello there."}}
        agent_id = str((await api.agents.create(agent)).id)
        await api.agents.publish(agent_id)
        summary = await call_agent(
            api, agent_id, conversation, speech, lambda _: None, asyncio.Event()
        )
        record = await ended_call(api, summary.call_id)
        entries = (await api.request("GET", "/v1/billing/transactions"))["transactions"]
    charge = next(entry for entry in entries if entry["call_id"] == summary.call_id)
    return record, summary.turns[0].heard.lower(), charge

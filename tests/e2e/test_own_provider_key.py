"""A tenant's own key, from being set to the call that runs on it and costs no model's minutes, and
to a call that goes on although the provider no longer takes the key."""

from __future__ import annotations

import asyncio
from contextlib import ExitStack
from typing import Any

import httpx2
import pytest

from switchboard.caller.call_session import call_agent
from switchboard.caller.dialogue_policy import LineByLine
from switchboard.caller.prepared_speech import prepare_speech
from tests.e2e.conftest import LiveSwitchboard, running_switchboard
from tests.e2e.polling import ended_call
from tests.stand_ins.openai_wire import OpenAIWire, says

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(180)]

OWN_KEY = "sk-the-tenants-own-key-1234"
LINE = "What are your opening hours?"


async def test_a_call_runs_on_the_tenants_own_key() -> None:
    wire = OpenAIWire([says("We are open from nine to five.")], valid_keys=[OWN_KEY])
    async with wire.serving():
        with ExitStack() as stack:
            running = running_switchboard(SWITCHBOARD_OPENAI_BASE_URL=wire.base_url)
            switchboard = await asyncio.to_thread(stack.enter_context, running)
            await _refuse_another_key(switchboard)
            record, heard, charge = await _held_call(switchboard)
            wire.valid_keys = []
            unaided, playbook_heard, _ = await _held_call(switchboard, sets_key=False)
            warnings = await _warnings(switchboard, unaided["id"])
            await asyncio.to_thread(stack.close)

    assert "we are open from" in heard
    assert wire.requests, "the model was never asked"
    assert set(wire.authorizations[1:]) == {f"Bearer {OWN_KEY}"}
    prices = {row["component"]: row["micros_per_minute"] for row in charge["metadata"]["prices"]}
    assert prices["llm"] == 0
    assert prices["platform"] > 0
    assert OWN_KEY not in str(record)

    assert unaided["status"] == "completed"
    assert playbook_heard.strip(), "the caller was not answered"
    assert len(warnings) == 1, warnings
    assert "llm: local/playbook took over from openai/" in warnings[0]
    assert "401" in warnings[0]
    assert OWN_KEY not in warnings[0]


async def _refuse_another_key(switchboard: LiveSwitchboard) -> None:
    answer = await _put_key(switchboard, "sk-a-key-that-openai-does-not-know")
    assert (answer.status_code, answer.json()["code"]) == (400, "provider_key_rejected")


async def _put_key(switchboard: LiveSwitchboard, key: str) -> httpx2.Response:
    headers = {"Authorization": f"Bearer {switchboard.account.secret_key}"}
    async with httpx2.AsyncClient(base_url=switchboard.api_url, headers=headers) as http:
        return await http.put("/v1/provider-keys/openai", json={"key": key})


async def _warnings(switchboard: LiveSwitchboard, call_id: str) -> list[str]:
    async with switchboard.api() as api:
        page = await api.request("GET", f"/v1/calls/{call_id}/events")
    return [each["message"] for each in page["events"] if each["level"] == "warning"]


async def _held_call(
    switchboard: LiveSwitchboard, *, sets_key: bool = True
) -> tuple[dict[str, Any], str, dict[str, Any]]:
    """The call's record, what the agent was heard to answer, and the call's ledger entry."""
    if sets_key:
        set_key = await _put_key(switchboard, OWN_KEY)
        assert set_key.status_code == 200, set_key.text
        assert set_key.json()["last_four"] == OWN_KEY[-4:]
    conversation = LineByLine((LINE,))
    speech = await prepare_speech(conversation.lines())
    async with switchboard.api() as api:
        agent = {
            "name": "Desk",
            "stt_provider": "local",
            "llm_provider": "openai",
            "tts_provider": "local",
            "playbook": {"opener": "Hello there."},
        }
        agent_id = str((await api.agents.create(agent)).id)
        await api.agents.publish(agent_id)
        summary = await call_agent(
            api, agent_id, conversation, speech, lambda _: None, asyncio.Event()
        )
        record = await ended_call(api, summary.call_id)
        entries = (await api.request("GET", "/v1/billing/transactions"))["transactions"]
    charge = next(entry for entry in entries if entry["call_id"] == summary.call_id)
    return record, summary.turns[0].heard.lower(), charge

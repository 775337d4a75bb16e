"""An agent lets another one take over during a spoken call, and the bill has both."""

from __future__ import annotations

import asyncio
from contextlib import ExitStack
from typing import Any

import httpx2
import pytest

from switchboard.caller.call_session import call_agent
from switchboard.caller.dialogue_policy import LineByLine
from switchboard.caller.prepared_speech import prepare_speech
from switchboard_client import AsyncSwitchboard
from tests.e2e.conftest import LiveSwitchboard, running_switchboard
from tests.e2e.polling import ended_call
from tests.stand_ins.openai_wire import Answer, OpenAIWire, calls, says

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(180)]

OWN_KEY = "sk-the-tenants-own-key-1234"
PLAYBOOK_PRICE = {
    "component": "llm",
    "provider": "local",
    "model": "playbook",
    "micros_per_minute": 1_000,
}
"""So that the two agents cost differently: the models of this machine cost nothing by default."""
LINES = ("I would like to buy a yellow boat, please.", "I would like the small one.")


def answer(request: dict[str, Any]) -> Answer:
    used = any(message["role"] == "tool" for message in request["messages"])
    return says("Somebody else should have answered.") if used else calls("to_sales")


async def test_the_caller_hears_the_next_agent_and_pays_for_both() -> None:
    async with OpenAIWire(answer_to=answer).serving() as wire:
        with ExitStack() as stack:
            running = running_switchboard(SWITCHBOARD_OPENAI_BASE_URL=wire.base_url)
            switchboard = await asyncio.to_thread(stack.enter_context, running)
            turns, events, charge = await _held_call(switchboard)
            await asyncio.to_thread(stack.close)

    heard = " ".join(turns)
    assert "get a colleague" in heard
    assert "sales department" in heard
    assert heard.index("get a colleague") < heard.index("sales department")
    assert turns[-1], "the next agent hears the caller"
    assert "somebody else" not in heard, turns
    [handoff] = [event for event in events if event["message"].startswith("Handoff: ")]
    assert handoff["source"] == "runtime"
    assert "Sales" in handoff["message"].partition(" took over from ")[0]
    assert "Desk" in handoff["message"].partition(" took over from ")[2]

    desk, sales = charge["metadata"]["agents"]
    assert (desk["agent_name"], sales["agent_name"]) == ("Desk", "Sales")
    assert desk["rate_micros_per_minute"] < sales["rate_micros_per_minute"]
    assert 0 < sales["from_ms"] < charge["metadata"]["connected_ms"]
    billed_ms = -charge["amount_seconds"] * 1000
    assert charge["metadata"]["connected_ms"] <= billed_ms
    desk_part = sales["from_ms"] * desk["rate_micros_per_minute"]
    sales_part = (billed_ms - sales["from_ms"]) * sales["rate_micros_per_minute"]
    assert round(charge["amount_usd"] * 1_000_000) == -(desk_part + sales_part) // 60_000


async def _held_call(switchboard: LiveSwitchboard) -> tuple[list[str], list[Any], dict[str, Any]]:
    """What was heard after each of the caller's lines, the call's events, and its charge."""
    headers = {"Authorization": f"Bearer {switchboard.account.secret_key}"}
    async with httpx2.AsyncClient(base_url=switchboard.api_url, headers=headers) as http:
        set_key = await http.put("/v1/provider-keys/openai", json={"key": OWN_KEY})
        assert set_key.status_code == 200, set_key.text
    async with AsyncSwitchboard(switchboard.api_url, switchboard.operator_token) as operator:
        await operator.request("POST", "/v1/operator/catalogue/prices", body=PLAYBOOK_PRICE)
    conversation = LineByLine(LINES)
    speech = await prepare_speech(conversation.lines())
    local = {"stt_provider": "local", "tts_provider": "local"}
    async with switchboard.api() as api:
        sales = {
            "name": "Sales",
            "llm_provider": "local",
            "playbook": {"opener": "This is the sales department. Which boat do you like?"},
        }
        sales_id = str((await api.agents.create(local | sales)).id)
        await api.agents.publish(sales_id)
        desk = {
            "name": "Desk",
            "llm_provider": "openai",
            "playbook": {"opener": "Hello there."},
            "tools": [
                {
                    "type": "handoff",
                    "name": "to_sales",
                    "description": "For everybody who wants to buy.",
                    "agent_id": sales_id,
                    "message": "One moment please, I will get a colleague.",
                }
            ],
        }
        desk_id = str((await api.agents.create(local | desk)).id)
        await api.agents.publish(desk_id)
        summary = await call_agent(
            api, desk_id, conversation, speech, lambda _: None, asyncio.Event()
        )
        await ended_call(api, summary.call_id)
        page = await api.request("GET", f"/v1/calls/{summary.call_id}/events")
        ledger = await api.request("GET", "/v1/billing/transactions")
    [charge] = [
        entry for entry in ledger["transactions"] if entry["call_id"] == str(summary.call_id)
    ]
    return [turn.heard.lower() for turn in summary.turns], page["events"], charge

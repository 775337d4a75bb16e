"""A fact that only an uploaded PDF holds is heard in a call, and no more once it is deleted."""

from __future__ import annotations

import asyncio
from typing import Any

import httpx2
import pytest

from switchboard.caller.call_session import call_agent
from switchboard.caller.dialogue_policy import LineByLine
from switchboard.caller.prepared_speech import prepare_speech
from tests.e2e.conftest import LiveSwitchboard
from tests.e2e.polling import ended_call, until
from tests.knowledge.documents import pdf_of

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(240)]

FACT = "The swimming pool is on the roof and costs twelve dollars."
QUESTION = "Where is the swimming pool?"
AGENT = {
    "name": "Desk",
    "stt_provider": "local",
    "llm_provider": "local",
    "tts_provider": "local",
    "playbook": {"opener": "Hello there. How can I help you?"},
}


async def test_a_fact_of_a_pdf_is_heard_until_it_is_deleted(switchboard: LiveSwitchboard) -> None:
    headers = {"Authorization": f"Bearer {switchboard.account.secret_key}"}
    async with (
        switchboard.api() as api,
        httpx2.AsyncClient(base_url=switchboard.api_url, headers=headers) as http,
    ):
        agent_id = str((await api.agents.create(AGENT)).id)
        await api.agents.publish(agent_id)
        sources = f"/v1/agents/{agent_id}/knowledge-sources"
        file = {"file": ("house.pdf", pdf_of("We have forty rooms.", FACT))}
        sent = await http.post(f"{sources}/upload", files=file)
        assert sent.status_code == 202, sent.text
        source_id = sent.json()["source"]["id"]

        async def source() -> dict[str, Any]:
            found: dict[str, Any] = await api.request("GET", f"{sources}/{source_id}")
            return found["source"]  # type: ignore[no-any-return]

        ingested = await until(source, lambda each: each["status"] != "pending", 60)
        assert ingested["status"] == "ready", ingested

        heard, events = await _call(api, agent_id)
        assert "on the roof" in heard
        assert any("house.pdf" in event["message"] for event in events)

        assert (await http.delete(f"{sources}/{source_id}")).status_code == 204
        heard, events = await _call(api, agent_id)
        assert heard
        assert "roof" not in heard
        assert not any("house.pdf" in event["message"] for event in events)


async def _call(api: Any, agent_id: str) -> tuple[str, list[Any]]:
    """What the agent was heard to say, and the call's events."""
    conversation = LineByLine([QUESTION])
    speech = await prepare_speech(conversation.lines())
    summary = await call_agent(api, agent_id, conversation, speech, lambda _: None, asyncio.Event())
    await ended_call(api, summary.call_id)
    page = await api.request("GET", f"/v1/calls/{summary.call_id}/events")
    return " ".join(turn.heard for turn in summary.turns).lower(), page["events"]

from __future__ import annotations

from datetime import UTC, datetime

from livekit.agents import LanguageCode, stt

from contracts.agent_config import Advanced, AgentConfig
from pipelines.texts.utterance import MOST_CHARACTERS
from tests.pipelines.engine.agents import call_agent
from tests.pipelines.plans import call_plan


async def test_no_more_is_heard_at_once_than_is_said_at_once() -> None:
    agent = call_agent()
    endless = stt.SpeechData(language=LanguageCode("en"), text="yes " * 10_000)
    heard = agent._heard(
        stt.SpeechEvent(type=stt.SpeechEventType.FINAL_TRANSCRIPT, alternatives=[endless])
    )
    assert heard is not None
    assert len(heard.alternatives[0].text) == MOST_CHARACTERS


def test_a_prompt_ends_with_the_time_unless_the_tenant_writes_all_of_it() -> None:
    now = datetime(2026, 11, 23, 21, 5, tzinfo=UTC)
    plan = call_plan(AgentConfig(name="Ada", system_prompt="Take bookings."))
    assert call_agent(plan, now=now).instructions.endswith("23 November 2026 at 21:05, UTC.")
    raw = AgentConfig(
        name="Ada", system_prompt="Take bookings.", advanced=Advanced(prompt_mode="raw")
    )
    assert call_agent(call_plan(raw), now=now).instructions == "Take bookings."

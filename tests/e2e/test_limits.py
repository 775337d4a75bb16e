"""Calls that end because a limit is reached: the caller is told, and the bill is exact."""

from __future__ import annotations

import pytest

from contracts.money import billable_seconds
from switchboard.demo.checks import micros
from switchboard_client import AsyncSwitchboard
from tests.e2e.conftest import LiveSwitchboard
from tests.e2e.polling import ended_call
from tests.e2e.quiet_caller import listen_quietly

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(180)]

PATIENT = {"silencePromptDelay": 300, "postSilenceHangup": 300}
LAST_WORD_ENDED_SECONDS = 0.2


async def published_agent(api: AsyncSwitchboard, **advanced: float) -> str:
    agent = await api.agents.create(
        {
            "name": "Ada",
            "playbook": {"opener": "Hello, this is Ada. How can I help you?"},
            "advanced": advanced,
        }
    )
    await api.agents.publish(agent.id)
    return str(agent.id)


async def test_a_caller_who_never_speaks_is_asked_and_then_told_that_the_agent_hangs_up(
    switchboard: LiveSwitchboard,
) -> None:
    async with switchboard.api() as api:
        agent_id = await published_agent(api, silencePromptDelay=2, postSilenceHangup=2)
        heard = await listen_quietly(api, agent_id)
        call = await ended_call(api, heard.call_id)
    assert (call["status"], call["end_reason"]) == ("completed", "silence_dead_air")
    assert heard.words.index("still there") < heard.words.index("goodbye")
    assert heard.silent_at_last_seconds > LAST_WORD_ENDED_SECONDS


async def test_a_call_is_over_when_its_maximum_duration_is_and_the_caller_is_told_before(
    switchboard: LiveSwitchboard,
) -> None:
    async with switchboard.api() as api:
        agent_id = await published_agent(api, maxCallDuration=30, **PATIENT)
        heard = await listen_quietly(api, agent_id)
        call = await ended_call(api, heard.call_id)
    assert (call["status"], call["end_reason"]) == ("completed", "max_call_duration")
    assert "time is up" in heard.words
    assert "goodbye" in heard.words
    assert heard.silent_at_last_seconds > LAST_WORD_ENDED_SECONDS
    assert 24 <= call["bill_duration"] <= 30
    assert call["billable_seconds"] == 30


async def test_a_call_ends_with_a_farewell_before_it_costs_more_than_there_is(
    poor_account: LiveSwitchboard,
) -> None:
    async with poor_account.api() as api:
        agent_id = await published_agent(api, **PATIENT)
        heard = await listen_quietly(api, agent_id)
        call = await ended_call(api, heard.call_id)
        balance = await api.billing.balance()
    assert (call["status"], call["end_reason"]) == ("failed", "insufficient_funds")
    assert "have to end this call" in heard.words
    assert call["billable_seconds"] == billable_seconds(round(call["bill_duration"] * 1000)) == 30
    assert call["bill_duration"] >= 28, "what was paid for is delivered"
    assert "the balance is used up" in str(call["events"])
    assert heard.silent_at_last_seconds > LAST_WORD_ENDED_SECONDS
    assert micros(call["total_cost"]) == 10_000
    assert micros(balance.balance_usd) == 500
    assert balance.held_usd == 0

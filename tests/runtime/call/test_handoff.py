"""Another agent takes over in a call: when, for its bill, and which sentences are its own."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from uuid import UUID

import pytest

from contracts.agent_config import AgentConfig, Features
from contracts.call_plan import CallPlan, PlannedAgent
from contracts.end_reasons import EndReason
from contracts.events import (
    CallEvent,
    CallMetered,
    CallStarted,
    EventBody,
    SlotsCollected,
    ToolCalled,
    TranscriptSegment,
)
from runtime.call.end_cause import Cause, Ending
from runtime.journal.adoption import journaled_position_ms
from tests.runtime.call.stage import PATIENT, Stage, connected, play
from tests.runtime.fakes import CALLER, FakePhrases, call_plan

SALES = UUID(int=30)


@pytest.fixture
def plan() -> CallPlan:
    plan = call_plan(limits=PATIENT)
    sales = PlannedAgent(
        agent_id=SALES,
        agent_version=1,
        agent=AgentConfig(name="Sales"),
        compiled_prompt="",
        locale="en-US",
        stack=plan.stack,
        prices=(),
    )
    return plan.model_copy(update={"handoffs": (sales,)})


def takeovers(stage: Stage) -> list[CallMetered]:
    metered = [body for body in stage.journal.bodies if isinstance(body, CallMetered)]
    return [body for body in metered if body.agent_id is not None]


def test_the_connected_time_of_a_handoff_is_journaled(plan: CallPlan) -> None:
    async def script(stage: Stage) -> None:
        await connected(stage)
        await asyncio.sleep(11.4)
        stage.conversation.actions.agent_took_over(SALES)
        await asyncio.sleep(5)
        stage.conversation.actions.agent_took_over(plan.agent_id)
        await asyncio.sleep(1)
        stage.call.end(Ending.because(Cause.LAST_LEG_LEFT))

    stage = play(script, plan=plan)
    first, second = takeovers(stage)
    assert (first.agent_id, second.agent_id) == (SALES, plan.agent_id)
    assert second.connected_ms - first.connected_ms == 5_000
    assert stage.ended.connected_ms is not None
    assert stage.ended.connected_ms - second.connected_ms == 1_000


def test_time_that_nobody_paid_for_is_no_agents_time(plan: CallPlan) -> None:
    async def script(stage: Stage) -> None:
        await connected(stage)
        stage.conversation.say_seconds = 9.0
        await asyncio.sleep(29)
        stage.conversation.actions.agent_took_over(SALES)
        await asyncio.sleep(2)
        stage.conversation.actions.agent_took_over(plan.agent_id)

    stage = play(script, plan=plan, funded_until_ms=30_000)
    assert [each.connected_ms for each in takeovers(stage)] == [29_100, 30_000]
    assert stage.ended.connected_ms == 30_000


def test_the_agent_that_talks_says_goodbye(plan: CallPlan, monkeypatch: pytest.MonkeyPatch) -> None:
    def farewell(_: FakePhrases, plan: CallPlan, reason: EndReason) -> str:
        return f"goodbye from {plan.agent.name}"

    monkeypatch.setattr(FakePhrases, "farewell", farewell)

    async def script(stage: Stage) -> None:
        await connected(stage)
        stage.conversation.actions.agent_took_over(SALES)
        stage.call.end(Ending.because(Cause.MAX_DURATION_REACHED))

    assert play(script, plan=plan).conversation.said[-1] == "goodbye from Sales"


def keeping_words(plan: CallPlan, *, first: bool, sales: bool) -> CallPlan:
    """``plan`` in which these agents keep a transcript."""
    [other] = plan.handoffs

    def keeping(agent: AgentConfig, keeps: bool) -> AgentConfig:
        return agent.model_copy(update={"features": Features(transcription_enabled=keeps)})

    others = (other.model_copy(update={"agent": keeping(other.agent, sales)}),)
    return plan.model_copy(
        update={"agent": keeping(plan.agent, first), "handoffs": others},
    )


SAID = {"Ada": "31415", "Bob": "27182", "Cleo": "16180"}
"""The caller's words, and the keys that the agent presses meanwhile."""


def say(stage: Stage, word: str) -> None:
    """Everything in which what is said can be kept: ``word`` or its keys are in each."""
    said: list[EventBody] = [
        TranscriptSegment(sequence=0, speaker="user", text=word, started_at_ms=0, ended_at_ms=10),
        SlotsCollected(slots={"name": word}),
        ToolCalled(name="book", arguments={"name": word}, output=f"Booked for {word}."),
    ]
    for body in said:
        stage.call.fact(body)
    stage.conversation.actions.note(f"The caller is {word}.")
    assert stage.conversation.actions.send_digits(SAID[word]) is None


@pytest.mark.parametrize(
    ("first", "sales", "kept"),
    [
        (True, True, ["Ada", "Bob", "Cleo"]),
        (True, False, ["Ada"]),
        # Agents that take over know what was said before, and repeat it.
        (False, True, []),
        (False, False, []),
    ],
)
def test_nothing_said_is_kept_from_the_first_agent_on_that_keeps_no_transcript(
    plan: CallPlan, first: bool, sales: bool, kept: list[str]
) -> None:
    async def script(stage: Stage) -> None:
        await connected(stage)
        ada, bob, cleo = SAID
        say(stage, ada)
        stage.conversation.actions.agent_took_over(SALES)
        say(stage, bob)
        stage.conversation.actions.agent_took_over(plan.agent_id)
        say(stage, cleo)
        stage.call.end(Ending.because(Cause.LAST_LEG_LEFT))

    stage = play(script, plan=keeping_words(plan, first=first, sales=sales))
    assert len(takeovers(stage)) == 2
    written = str(stage.journal.bodies)
    assert [word for word in SAID if word in written] == kept
    assert [word for word, keys in SAID.items() if keys in written] == kept
    for kind in (TranscriptSegment, SlotsCollected):
        assert sum(isinstance(body, kind) for body in stage.journal.bodies) == len(kept)
    assert written.count("The caller is") == len(kept)
    assert sum(isinstance(body, ToolCalled) for body in stage.journal.bodies) == len(SAID)


def test_the_journal_of_a_killed_worker_proves_the_time_until_a_handoff() -> None:
    bodies = (
        CallStarted(participant_id=CALLER),
        CallMetered(connected_ms=5_000),
        CallMetered(connected_ms=7_300, agent_id=SALES),
    )
    events = [
        CallEvent(
            call_id=UUID(int=1),
            tenant_id=UUID(int=2),
            seq=number,
            occurred_at=datetime.now(UTC),
            worker_id="worker",
            body=body,
        )
        for number, body in enumerate(bodies, start=1)
    ]
    assert journaled_position_ms(events) == 7_300


def test_a_reading_without_a_handoff_reads_as_before() -> None:
    assert "agent_id" not in CallMetered(connected_ms=1).model_dump_json()

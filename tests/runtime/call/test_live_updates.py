"""Which facts are told live, and to whom: whole calls in virtual time."""

from __future__ import annotations

import asyncio
from uuid import UUID

import pytest

from contracts.agent_config import AgentConfig, Features
from contracts.call_plan import CallPlan, PlannedAgent
from contracts.end_reasons import EndReason
from contracts.events import ToolCalled
from contracts.live_messages import LiveBody, LiveMessage, LiveTranscript
from runtime.call.call import Call
from runtime.call.end_cause import Cause, Ending
from tests.runtime import virtual_time
from tests.runtime.fakes import (
    CALLER,
    EventList,
    FakeConversation,
    FakePhrases,
    FakeRoom,
    call_plan,
    no_recorded_apology,
)

SAID = LiveTranscript(utterance=0, speaker="agent", text="Hello.", is_final=True, at_ms=0)


def told(
    plan: CallPlan, *, taken_over_by: UUID | None = None
) -> tuple[list[LiveBody], list[LiveBody]]:
    """What viewers and what the people in the room are told of one call."""

    async def main() -> tuple[list[LiveBody], list[LiveBody]]:
        room, viewers = FakeRoom(), list[LiveMessage]()
        call = Call(
            plan,
            EventList(),
            open_room=lambda: asyncio.sleep(0, room),
            open_conversation=lambda plan, room, actions, record: FakeConversation(record, actions),
            phrases=FakePhrases(),
            recorded_apology=no_recorded_apology,
            publish=viewers.append,
            clock=asyncio.get_running_loop().time,
            wall_clock=asyncio.get_running_loop().time,
        )
        async with asyncio.timeout(1_000), asyncio.TaskGroup() as group:
            group.create_task(call.run(lambda: asyncio.sleep(0)))
            await asyncio.sleep(1)
            await call.answer_offer(CALLER, "caller", "offer")
            await asyncio.sleep(1)
            if taken_over_by is not None:
                call.agent_took_over(taken_over_by)
            call.live(SAID)
            call.fact(ToolCalled(name="book", arguments={"card": "4111"}, output="secret"))
            call.end(Ending.commanded(EndReason.NORMAL_HANGUP, None))
        return [message.body for message in viewers], room.messages

    return virtual_time.run(main())


def test_viewers_are_told_what_happens_and_the_end_last() -> None:
    viewers, _ = told(call_plan())
    assert [body.type for body in viewers] == [
        "call.in_progress",
        "participant.state",
        "transcript",
        "tool",
        "participant.state",
        "call.ended",
    ]


def test_of_a_tool_only_its_name_is_told_and_callers_are_not() -> None:
    viewers, people = told(call_plan())
    [tool] = [body for body in viewers if body.type == "tool"]
    assert tool.model_dump() == {"type": "tool", "name": "book", "is_error": False}
    assert "tool" not in [body.type for body in people]


def test_the_people_in_the_room_are_told_the_end_while_they_are_still_there() -> None:
    _, people = told(call_plan())
    types = [body.type for body in people]
    assert types.index("call.ended") < len(types) - types[::-1].index("participant.state") - 1


@pytest.mark.parametrize("keeps_transcript", [True, False])
def test_words_of_a_call_without_a_transcript_do_not_leave_the_room(
    keeps_transcript: bool,
) -> None:
    plan = call_plan()
    features = Features(transcription_enabled=keeps_transcript)
    plan = plan.model_copy(update={"agent": plan.agent.model_copy(update={"features": features})})
    viewers, people = told(plan)
    assert (SAID in viewers) == keeps_transcript
    assert SAID in people


@pytest.mark.parametrize("keeps_transcript", [True, False])
def test_words_to_a_second_agent_without_a_transcript_do_not_leave_the_room(
    keeps_transcript: bool,
) -> None:
    plan = call_plan()
    features = Features(transcription_enabled=keeps_transcript)
    sales = PlannedAgent(
        agent_id=UUID(int=30),
        agent_version=1,
        agent=AgentConfig(name="Sales", features=features),
        compiled_prompt="",
        locale="en-US",
        stack=plan.stack,
        prices=(),
    )
    plan = plan.model_copy(update={"handoffs": (sales,)})
    viewers, people = told(plan, taken_over_by=sales.agent_id)
    assert (SAID in viewers) == keeps_transcript
    assert SAID in people


def test_the_end_is_told_even_if_nobody_ever_came() -> None:
    async def main() -> list[LiveMessage]:
        viewers: list[LiveMessage] = []
        call = Call(
            call_plan(),
            EventList(),
            open_room=lambda: asyncio.sleep(0, FakeRoom()),
            open_conversation=lambda plan, room, actions, record: FakeConversation(record, actions),
            phrases=FakePhrases(),
            recorded_apology=no_recorded_apology,
            publish=viewers.append,
            clock=asyncio.get_running_loop().time,
        )
        async with asyncio.TaskGroup() as group:
            group.create_task(call.run(lambda: asyncio.sleep(0)))
            await asyncio.sleep(1)
            call.end(Ending.because(Cause.NOBODY_JOINED))
        return viewers

    [last] = virtual_time.run(main())
    assert last.body.type == "call.ended"

"""Events of the engine's own types, as its session emits them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from livekit.agents import (
    AgentSession,
    AgentStateChangedEvent,
    CloseEvent,
    CloseReason,
    ConversationItemAddedEvent,
    ErrorEvent,
    FunctionToolsExecutedEvent,
    UserStateChangedEvent,
)
from livekit.agents.llm import ChatMessage, FunctionCall, FunctionCallOutput, LLMError
from livekit.agents.voice import ToolCallEnded, ToolCallUpdated, ToolExecutionUpdatedEvent

from contracts.events import (
    Logged,
    ToolCalled,
    TranscriptSegment,
    TurnMeasured,
    UsageReported,
)
from contracts.live_messages import AgentStateChanged, TurnLatency
from runtime.call.end_cause import CallFailure, ProvidersFailed
from runtime.conversation.session_observer import SessionObserver
from tests.runtime.fakes import FakeRecord


def observed(
    agent_audible_until: float | None = None,
    usage: Callable[[], Iterable[UsageReported]] = tuple,
) -> tuple[AgentSession[Any], SessionObserver, FakeRecord]:
    session: AgentSession[Any] = AgentSession(vad=None, turn_handling={"turn_detection": "manual"})
    record = FakeRecord()
    observer = SessionObserver(
        session,
        record,
        keep_transcript=True,
        agent_audible_until=lambda: agent_audible_until,
        usage=usage,
    )
    observer.attach()
    return session, observer, record


def added(
    role: str, text: str, metrics: dict[str, float], *, interrupted: bool = False
) -> ConversationItemAddedEvent:
    message = ChatMessage(role=role, content=[text], interrupted=interrupted, metrics=metrics)
    return ConversationItemAddedEvent(item=message)


async def test_a_turn_is_measured_from_both_of_its_halves():
    session, _, record = observed()
    user = {
        "started_speaking_at": 1.0,
        "stopped_speaking_at": 2.0,
        "transcription_delay": 0.1,
        "end_of_turn_delay": 0.3,
    }
    agent = {
        "started_speaking_at": 2.5,
        "stopped_speaking_at": 4.0,
        "llm_node_ttft": 0.05,
        "tts_node_ttfb": 0.02,
        "e2e_latency": 0.5,
    }
    session.emit("conversation_item_added", added("user", "Hi.", user))
    session.emit("conversation_item_added", added("assistant", "Hello.", agent))
    assert record.facts == [
        TranscriptSegment(
            sequence=0, speaker="user", text="Hi.", started_at_ms=1000, ended_at_ms=2000
        ),
        TranscriptSegment(
            sequence=1, speaker="agent", text="Hello.", started_at_ms=2500, ended_at_ms=4000
        ),
        TurnMeasured(
            sequence=1,
            transcription_delay_ms=100,
            end_of_turn_delay_ms=300,
            llm_first_token_ms=50,
            tts_first_byte_ms=20,
            end_to_end_ms=500,
        ),
    ]
    assert record.shown[-1] == TurnLatency(utterance=1, sequence=1, end_to_end_ms=500)


async def test_a_sentence_without_a_turn_is_not_measured():
    session, _, record = observed()
    session.emit("conversation_item_added", added("assistant", "Hello.", {}))
    assert [each.type for each in record.facts] == ["transcript.segment"]


async def test_a_sentence_ends_with_its_last_audible_sample():
    session, _, record = observed(agent_audible_until=4.6)
    metrics = {"started_speaking_at": 2.0, "stopped_speaking_at": 5.0}
    session.emit("conversation_item_added", added("assistant", "Hello.", metrics))
    segment = record.facts[0]
    assert isinstance(segment, TranscriptSegment)
    assert (segment.started_at_ms, segment.ended_at_ms) == (2000, 4600)


async def test_an_interrupted_sentence_ends_when_the_agent_fell_silent():
    session, _, record = observed()
    silent = AgentStateChangedEvent(old_state="speaking", new_state="listening", created_at=3.0)
    session.emit("agent_state_changed", silent)
    metrics = {"started_speaking_at": 2.0, "stopped_speaking_at": 5.0}
    session.emit("conversation_item_added", added("assistant", "I was", metrics, interrupted=True))
    segment = record.facts[0]
    assert isinstance(segment, TranscriptSegment)
    assert (segment.started_at_ms, segment.ended_at_ms) == (2000, 3000)


async def test_states_reach_the_page_and_the_limits():
    session, _, record = observed()
    session._agent_state = "speaking"
    session.emit(
        "agent_state_changed", AgentStateChangedEvent(old_state="idle", new_state="speaking")
    )
    session._user_state = "speaking"
    session.emit(
        "user_state_changed", UserStateChangedEvent(old_state="listening", new_state="speaking")
    )
    assert record.shown[0] == AgentStateChanged(state="speaking")
    assert record.activities == [(False, True), (True, True)]


async def test_an_agent_whose_tool_is_still_at_work_is_not_silent():
    session, _, record = observed()
    session._agent_state = "listening"
    late = ToolCallUpdated(id="1", call_id="1", message="in progress")
    session.emit("tool_execution_updated", ToolExecutionUpdatedEvent(update=late))
    answered = FunctionToolsExecutedEvent(
        function_calls=[FunctionCall(call_id="1", name="book", arguments="{}")],
        function_call_outputs=[
            FunctionCallOutput(call_id="1", name="book", output="in progress", is_error=False)
        ],
    )
    session.emit("function_tools_executed", answered)
    session.emit(
        "user_state_changed", UserStateChangedEvent(old_state="speaking", new_state="listening")
    )
    ended = ToolCallEnded(id="1_final", call_id="1", message="Table 7", status="done")
    session.emit("tool_execution_updated", ToolExecutionUpdatedEvent(update=ended))
    assert record.activities == [(False, True), (False, True), (False, False)]


async def test_tools_are_facts_whatever_their_arguments_look_like():
    session, _, record = observed()
    calls = [
        FunctionCall(call_id="1", name="book", arguments='{"day": "Monday"}'),
        FunctionCall(call_id="2", name="book", arguments="not json"),
    ]
    outputs = [
        FunctionCallOutput(call_id="1", name="book", output="done", is_error=False),
        FunctionCallOutput(call_id="2", name="book", output="what?", is_error=True),
    ]
    event = FunctionToolsExecutedEvent(function_calls=calls, function_call_outputs=outputs)
    session.emit("function_tools_executed", event)
    assert record.facts == [
        ToolCalled(name="book", arguments={"day": "Monday"}, output="done"),
        ToolCalled(name="book", arguments={"raw": "not json"}, output="what?", is_error=True),
    ]


async def test_no_more_of_a_tool_is_recorded_than_its_first_characters():
    session, _, record = observed()
    call = FunctionCall(call_id="1", name="book", arguments="[" * 1_000_000)
    output = FunctionCallOutput(call_id="1", name="book", output="x" * 1_000_000, is_error=False)
    session.emit(
        "function_tools_executed",
        FunctionToolsExecutedEvent(function_calls=[call], function_call_outputs=[output]),
    )
    [fact] = record.facts
    assert fact == ToolCalled(name="book", arguments={"raw": "[" * 10_000}, output="x" * 10_000)


def llm_error(*, recoverable: bool) -> LLMError:
    return LLMError(
        timestamp=0.0, label="llm", error=ConnectionError("refused"), recoverable=recoverable
    )


async def test_errors_are_logged_by_how_bad_they_are():
    session, _, record = observed()
    for recoverable in (True, False):
        session.emit("error", ErrorEvent(error=llm_error(recoverable=recoverable), source=None))
    assert record.facts == [
        Logged(level="warning", message="llm: ConnectionError: refused"),
        Logged(level="error", message="llm: ConnectionError: refused"),
    ]


async def test_a_session_that_closes_on_a_providers_error_fails_the_call():
    session, _, record = observed()
    session.emit("close", CloseEvent(error=llm_error(recoverable=False), reason=CloseReason.ERROR))
    [failure] = record.failures
    assert isinstance(failure, ProvidersFailed)
    assert str(failure) == "llm_error: refused"


async def test_a_session_that_closes_by_itself_fails_the_call():
    session, _, record = observed()
    session.emit("close", CloseEvent(reason=CloseReason.TASK_COMPLETED))
    assert type(record.failures[0]) is CallFailure


async def test_a_close_of_our_own_is_no_failure():
    session, observer, record = observed()
    observer.expect_close()
    session.emit("close", CloseEvent(reason=CloseReason.USER_INITIATED))
    assert record.failures == []


async def test_a_handler_that_fails_does_not_reach_the_engine():
    session, _, record = observed()
    session.emit("conversation_item_added", object())  # type: ignore[arg-type]
    session.emit("conversation_item_added", added("user", "Still here.", {}))
    assert len(record.facts) == 1


async def test_what_a_turn_used_is_recorded_with_it_and_only_once():
    thought = UsageReported(channel="llm", provider="openai", model="gpt", input_tokens=90)
    spoken = UsageReported(channel="tts", provider="local", model="hibari", characters=6)
    used = [thought, spoken]
    session, observer, record = observed(usage=lambda: used)
    metrics = {"started_speaking_at": 2.0, "stopped_speaking_at": 3.0}

    def reports() -> list[UsageReported]:
        return [each for each in record.facts if isinstance(each, UsageReported)]

    session.emit("conversation_item_added", added("assistant", "Hello.", metrics))
    assert reports() == [thought, spoken]

    used[1] = more = spoken.model_copy(update={"characters": 11})
    session.emit("conversation_item_added", added("assistant", "Yes.", metrics))
    observer.finish()
    assert reports() == [thought, spoken, more]


async def test_a_turn_whose_answer_nobody_heard_is_recorded_with_the_next_one():
    used = [UsageReported(channel="llm", provider="openai", model="gpt", input_tokens=90)]
    session, _, record = observed(usage=lambda: used)

    def reports() -> list[UsageReported]:
        return [each for each in record.facts if isinstance(each, UsageReported)]

    session.emit("conversation_item_added", added("user", "Wait.", {}))
    assert reports() == []
    session.emit("conversation_item_added", added("user", "Hello?", {}))
    assert reports() == used

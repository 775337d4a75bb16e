"""Events of the engine's own types, for tools that answer when nobody waits for them any more."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, Literal
from uuid import UUID

import pytest
from livekit.agents import FunctionToolsExecutedEvent
from livekit.agents.llm import FunctionCall, FunctionCallOutput
from livekit.agents.voice import ToolCallEnded, ToolCallUpdated, ToolExecutionUpdatedEvent

from contracts.events import CallEvent, ToolCalled
from contracts.versions import read_json
from runtime.conversation.tool_outcomes import NO_ANSWER, ToolOutcomes

CALL = FunctionCall(call_id="1", name="book", arguments='{"day": "Monday"}')


class Engine:
    """Waits for a tool, and then answers the model for it."""

    def __init__(self) -> None:
        self.recorded: list[ToolCalled] = []
        self.outcomes = ToolOutcomes(self.recorded.append, {"1": 6_000}.get)

    def waits_no_longer(self) -> None:
        update = ToolCallUpdated(id="1", call_id="1", message="in progress")
        self.outcomes.updated(ToolExecutionUpdatedEvent(update=update))

    def answers_for_the_tool(self) -> None:
        self.has_executed(CALL, "It is still in progress.")

    def has_executed(self, call: FunctionCall, answer: str) -> None:
        output = FunctionCallOutput(call_id="1", name=call.name, output=answer, is_error=False)
        self.outcomes.executed(
            FunctionToolsExecutedEvent(function_calls=[call], function_call_outputs=[output])
        )

    def hears(self, status: Literal["done", "error", "cancelled"], message: str | None) -> None:
        update = ToolCallEnded(id="1_final", call_id="1", message=message, status=status)
        self.outcomes.updated(ToolExecutionUpdatedEvent(update=update))


def called(output: str, *, is_error: bool = False) -> ToolCalled:
    return ToolCalled(
        name="book",
        arguments={"day": "Monday"},
        output=output,
        is_error=is_error,
        duration_ms=6_000,
    )


@pytest.mark.parametrize(
    ("status", "message", "fact"),
    [
        ("done", "Table 7", called("Table 7")),
        ("done", None, called("done")),
        ("error", "no table is free", called("no table is free", is_error=True)),
        ("cancelled", None, called("cancelled", is_error=True)),
    ],
)
@pytest.mark.parametrize("is_soon", [True, False])
def test_a_tool_that_nobody_waits_for_is_recorded_with_what_it_answers_in_the_end(
    status: Literal["done", "error", "cancelled"],
    message: str | None,
    fact: ToolCalled,
    *,
    is_soon: bool,
) -> None:
    engine = Engine()
    engine.waits_no_longer()
    if is_soon:
        engine.hears(status, message)
    engine.answers_for_the_tool()
    if not is_soon:
        assert engine.recorded == []
        engine.hears(status, message)
    engine.outcomes.finish()
    assert engine.recorded == [fact]


def test_a_tool_that_has_not_answered_when_the_call_ends_is_recorded_as_failed() -> None:
    engine = Engine()
    engine.waits_no_longer()
    engine.answers_for_the_tool()
    engine.outcomes.finish()
    engine.hears("done", "Table 7")
    assert engine.recorded == [called(NO_ANSWER, is_error=True)]


def test_the_end_of_a_tool_that_the_engine_waits_for_is_no_second_use() -> None:
    engine = Engine()
    engine.hears("done", "Table 7")
    engine.answers_for_the_tool()
    engine.outcomes.finish()
    assert engine.recorded == [called("It is still in progress.")]


@pytest.mark.parametrize(
    ("document", "arguments"),
    [
        ('{"day": "\\ud800"}', {"raw": '{"day": "\\ud800"}'}),
        ('{"day": "\ud800"}', {"day": "?"}),
        (
            '{"day": ' + "[" * 300 + "]" * 300 + "}",
            {"raw": '{"day": ' + "[" * 300 + "]" * 300 + "}"},
        ),
        ('{"day": ' + "1" * 5_000 + "}", {"raw": '{"day": ' + "1" * 5_000 + "}"}),
        ('{"day": "\\ud83d\\ude00"}', {"day": "\U0001f600"}),
        ('{"day": "Mon', {"raw": '{"day": "Mon'}),
        ("", {}),
    ],
    ids=["escaped half", "half", "too deep", "too large", "whole pair", "cut off", "none"],
)
def test_whatever_a_model_sends_as_arguments_can_be_sent_on(
    document: str, arguments: dict[str, Any]
) -> None:
    engine = Engine()
    engine.has_executed(FunctionCall(call_id="1", name="book", arguments=document), "done")
    (fact,) = engine.recorded
    assert fact.arguments == arguments
    assert ToolCalled.model_validate_json(fact.model_dump_json()) == fact


def test_half_a_surrogate_pair_in_a_name_or_an_answer_is_replaced() -> None:
    engine = Engine()
    engine.has_executed(FunctionCall(call_id="1", name="b\udc00", arguments=""), "Table \ud800")
    (fact,) = engine.recorded
    assert (fact.name, fact.output) == ("b?", "Table ?")


@pytest.mark.parametrize("levels", [150, 195, 199, 300])
def test_arguments_of_many_levels_leave_an_event_that_can_be_read(levels: int) -> None:
    engine = Engine()
    deep = '{"a":' * levels + "1" + "}" * levels
    engine.has_executed(FunctionCall(call_id="1", name="book", arguments=deep), "Table 7")
    (fact,) = engine.recorded
    event = CallEvent(
        call_id=UUID(int=1),
        tenant_id=UUID(int=2),
        seq=1,
        occurred_at=datetime(2026, 1, 1, tzinfo=UTC),
        worker_id="worker-1",
        body=fact,
    )
    assert read_json(CallEvent, event.model_dump_json()).body == fact

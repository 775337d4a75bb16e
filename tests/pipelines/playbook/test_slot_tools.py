"""The playbook calls tools whose arguments are its slots, once the caller has confirmed them."""

from __future__ import annotations

from typing import Any

import pytest

from contracts.agent_config import AgentConfig
from pipelines.playbook.history import Turn, fold
from pipelines.playbook.slot_tools import ToolUse, slot_tools
from pipelines.playbook.state import Reply
from tests.pipelines.playbook.agents import policy

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"party_size": {"type": "integer"}, "email": {"type": "string"}},
    "required": ["party_size"],
}
CLOSING, FALLBACK = "Your table is booked.", "Please try our website."


def agent(
    schema: dict[str, Any] = SCHEMA, closing: str = CLOSING, fallback: str = FALLBACK, **more: Any
) -> AgentConfig:
    return AgentConfig.model_validate(
        {
            "name": "Table bot",
            "playbook": {
                "opener": "Welcome to Chez Ada. What can I do for you?",
                "requiredSlots": [{"name": "party_size"}, {"name": "email", "required": False}],
                "closingCTA": closing,
                "fallbackCTA": fallback,
            },
            "tools": [
                {
                    "type": "call_webhook",
                    "name": "book",
                    "description": "Books the table.",
                    "url": "https://api.example.com/tables",
                    "parameters": schema,
                    "speak_while": "One moment.",
                }
            ],
            **more,
        }
    )


def talk(of: AgentConfig, *said: str) -> tuple[list[Turn], Reply]:
    """What was said, each reply as if its tools had succeeded, and the last reply."""
    turns = [Turn("agent", "Welcome to Chez Ada. What can I do for you?")]
    for line in said[:-1]:
        turns.append(Turn("caller", line))
        turns.append(Turn("agent", fold(policy(of), turns).reply.text))
    turns.append(Turn("caller", said[-1]))
    return turns, fold(policy(of), turns).reply


UP_TO_THE_SUMMARY = ("A table, please.", "For four people.")


def test_a_tool_is_called_when_the_caller_has_confirmed_the_slots() -> None:
    _, summary = talk(agent(), *UP_TO_THE_SUMMARY)
    assert summary.tools == ()
    _, closing = talk(agent(), *UP_TO_THE_SUMMARY, "Yes, that's right.")
    assert closing.tools == (ToolUse("book", {"party_size": 4}),)
    assert CLOSING in closing.text


def test_the_caller_hears_the_fallback_if_the_tool_failed() -> None:
    _, closing = talk(agent(), *UP_TO_THE_SUMMARY, "Yes, that's right.")
    assert closing.if_failed is not None
    assert FALLBACK in closing.if_failed.text
    assert CLOSING not in closing.if_failed.text
    _, without = talk(agent(fallback=""), *UP_TO_THE_SUMMARY, "Yes, that's right.")
    assert without.if_failed is not None
    assert "could not pass that on" in without.if_failed.text


def test_the_conversation_goes_on_from_what_was_said() -> None:
    turns, closing = talk(agent(), *UP_TO_THE_SUMMARY, "Yes, that's right.")
    assert closing.if_failed is not None
    for said in (closing, closing.if_failed):
        after = [*turns, Turn("agent", said.text), Turn("caller", "Can you repeat that?")]
        repeated = fold(policy(agent()), after).reply.text
        assert said.text in repeated


def test_no_tool_is_called_a_second_time() -> None:
    _, goodbye = talk(agent(), *UP_TO_THE_SUMMARY, "Yes, that's right.", "No, thank you.")
    assert goodbye.tools == ()
    assert goodbye.end_call


def test_no_tool_is_called_for_slots_that_were_never_confirmed() -> None:
    for answer in ("No, that's wrong.", "Goodbye."):
        _, reply = talk(agent(), *UP_TO_THE_SUMMARY, answer)
        assert reply.tools == ()


def test_a_closing_that_is_a_question_asks_before_the_tool_is_called() -> None:
    asking = agent(closing="Shall I book the table?")
    _, question = talk(asking, *UP_TO_THE_SUMMARY, "Yes, that's right.")
    assert question.text.endswith("Shall I book the table?")
    assert question.tools == ()
    _, agreed = talk(asking, *UP_TO_THE_SUMMARY, "Yes, that's right.", "Yes, please.")
    assert [use.name for use in agreed.tools] == ["book"]
    assert agreed.end_call
    assert agreed.if_failed is not None
    assert FALLBACK in agreed.if_failed.text
    _, refused = talk(asking, *UP_TO_THE_SUMMARY, "Yes, that's right.", "No.")
    assert refused.tools == ()


@pytest.mark.parametrize(
    ("schema", "value", "argument"),
    [
        ({"type": "integer"}, "4", 4),
        ({"type": "number"}, "4.5", 4.5),
        ({"type": "boolean"}, "yes", True),
        ({"type": "boolean"}, "no", False),
        ({"type": "string"}, "4", "4"),
        ({"type": "integer"}, "four", "four"),
        ({}, "4", "4"),
        (True, "4", "4"),
    ],
)
def test_a_value_gets_the_type_of_its_argument(schema: object, value: str, argument: Any) -> None:
    [tool] = slot_tools(agent({"type": "object", "properties": {"party_size": schema}}))
    assert tool.use({"party_size": value}) == ToolUse("book", {"party_size": argument})


def test_a_tool_waits_for_its_required_slots_and_needs_no_others() -> None:
    [tool] = slot_tools(agent())
    assert tool.use({"email": "a@example.com"}) is None
    assert tool.use({"party_size": "2", "wishes": "a window"}) == ToolUse("book", {"party_size": 2})


def test_a_tool_that_needs_more_than_slots_is_none_of_the_playbook_s() -> None:
    assert slot_tools(agent({"type": "object", "required": ["card_number"]})) == ()

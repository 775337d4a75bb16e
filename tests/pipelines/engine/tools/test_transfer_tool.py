"""The transfer tool: what a language model is asked for, and what the call is told."""

from __future__ import annotations

from typing import Any

from contracts.tool_bindings import Transfer
from pipelines.engine.tools.transfer_tool import run_transfer, transfer_parameters
from tests.pipelines.engine.actions import NotedActions


def tool(**settings: Any) -> Transfer:
    given = {"type": "transfer", "name": "to_desk", "description": "A person."}
    return Transfer.model_validate(given | {"to": "+14155550100"} | settings)


def test_a_model_sums_up_for_a_warm_transfer_unless_the_owner_has() -> None:
    assert transfer_parameters(tool(mode="warm"))["required"] == ["summary"]
    assert "required" not in transfer_parameters(tool(mode="warm", summary="It is Ada."))
    assert "required" not in transfer_parameters(tool())


def test_the_call_is_told_whom_to_reach_and_what_to_say() -> None:
    actions = NotedActions()
    result = run_transfer(tool(mode="warm"), {"summary": " Ada asks. "}, {}, actions)
    assert (result.text, result.is_error) == (None, False)
    owned = tool(mode="warm", summary="It is {{name}}.")
    run_transfer(owned, {"summary": "ignored"}, {"name": "Ada"}, actions)
    assert actions.transfers == [("+14155550100", "Ada asks."), ("+14155550100", "It is Ada.")]


def test_words_of_the_model_are_no_template() -> None:
    actions = NotedActions()
    run_transfer(tool(mode="warm"), {"summary": "{{secret}}"}, {"secret": "42"}, actions)
    assert actions.transfers == [("+14155550100", "{{secret}}")]


def test_the_model_is_told_why_a_transfer_is_not_possible() -> None:
    actions = NotedActions()
    actions.no_transfer_because = "The call is ending."
    result = run_transfer(tool(), {}, {}, actions)
    assert (result.text, result.is_error) == ("The call is ending.", True)

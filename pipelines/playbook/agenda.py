"""Which question to ask next."""

from __future__ import annotations

from pipelines.playbook.dialogue_plan import DialoguePlan
from pipelines.playbook.slot_tools import ToolUse
from pipelines.playbook.state import Question, State, Topic, Value
from pipelines.playbook.values.slot_types import Field, Kind


def next_question(plan: DialoguePlan, state: State) -> Question:
    """First the open fields, then the summary, the closing, and "anything else?"."""
    for field in plan.fields:
        if is_open(field, state):
            return Question(Topic.FIELD, field.key)
    if needs_confirmation(plan, state):
        return Question(Topic.CONFIRM)
    if not state.is_closing_said:
        return Question(Topic.CLOSING)
    return Question(Topic.ANYTHING_ELSE)


def is_open(field: Field, state: State) -> bool:
    if not field.required or field.key in state.skipped:
        return False
    value = state.values.get(field.key)
    # "Tuesday morning" still lacks an hour, but we ask for it only once.
    is_vague = value is not None and field.kind is Kind.TIME and ":" not in value.value
    return value is None or (is_vague and not state.asked.get(field.key))


def needs_confirmation(plan: DialoguePlan, state: State) -> bool:
    done = state.is_confirmed or state.is_unconfirmable
    return plan.is_english and not done and bool(known_slots(plan, state))


def is_incomplete(plan: DialoguePlan, state: State) -> bool:
    """Whether something required is missing, so that the fallback replaces the closing."""
    missing = any(f.required and f.slot and f.key not in state.values for f in plan.fields)
    return missing or state.is_unconfirmable


def known_slots(plan: DialoguePlan, state: State) -> list[tuple[Field, Value]]:
    return [(f, state.values[f.key]) for f in plan.slots if f.key in state.values]


def reported_slots(plan: DialoguePlan, state: State) -> dict[str, str]:
    """Canonical values by slot name. A slot's day and time are joined by a blank."""
    reported: dict[str, str] = {}
    for field, value in known_slots(plan, state):
        before = reported.get(field.slot)
        reported[field.slot] = f"{before} {value.value}" if before else value.value
    return reported


def tool_uses(plan: DialoguePlan, state: State) -> tuple[ToolUse, ...]:
    """The calls that the known slots suffice for."""
    slots = reported_slots(plan, state)
    uses = (tool.use(slots) for tool in plan.tools)
    return tuple(use for use in uses if use is not None)

"""What a call's variables leave open or broken in its agent's texts. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from contracts.call_plan import CallPlan
from pipelines.agent_texts import fill_agent, unknown_variables
from pipelines.prompt import described

_MAX_NAMES = 20
_MAX_FAULTS = 20


def text_warnings(plan: CallPlan) -> list[str]:
    """Sentences for the call's event log. None of it fails the call."""
    return list(_warnings(plan))


def _warnings(plan: CallPlan) -> Iterator[str]:
    agent = described(plan.agent)
    for fault in fill_agent(agent, plan.variables).faults[:_MAX_FAULTS]:
        yield f"{fault.field} is used as it is written: line {fault.line} {fault.message}"
    if unknown := unknown_variables(agent, plan.variables):
        names = ", ".join(unknown[:_MAX_NAMES])
        yield f"The call was created without variables that the agent's texts need: {names}"

"""An example's conversation as text: its caller's lines, answered by the playbook engine."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from contracts.agent_config import AgentConfig
from pipelines.playbook.dialogue_plan import dialogue_plan
from pipelines.playbook.policy import Policy
from pipelines.playbook.state import Reply, State
from pipelines.playbook.values.recognition import Place

MONDAY = date(2026, 3, 2)
EXAMPLES = Path(__file__).parents[2] / "examples"


@dataclass(frozen=True)
class Conversation:
    """``lines``: what the transcript shows, line by line."""

    lines: tuple[str, ...]
    slots: dict[str, str]
    tools: tuple[str, ...]
    is_over: bool


def example_names() -> list[str]:
    return sorted(path.parent.name for path in EXAMPLES.glob("*/agent.json"))


def agent_document(name: str) -> dict[str, Any]:
    document: dict[str, Any] = json.loads((EXAMPLES / name / "agent.json").read_text())
    return document


def converse(name: str) -> Conversation:
    """Hold the conversation on a Monday, with every tool successful."""
    agent = AgentConfig.model_validate(agent_document(name))
    file = EXAMPLES / name / "variables.json"
    variables = json.loads(file.read_text()) if file.exists() else {}
    policy = Policy(dialogue_plan(agent, variables), Place(MONDAY, "US"))
    state = policy.heard(State(), policy.plan.opener, is_interrupted=False)
    lines, tools, called = [f"agent   {policy.plan.opener}"], [], set[str]()
    reply = Reply(policy.plan.opener, {})
    for said in (EXAMPLES / name / "caller.txt").read_text().splitlines():
        if reply.end_call:
            break
        lines.append(f"caller  {said}")
        state, reply = policy.step(state, said)
        new = [use for use in reply.tools if use.name not in called]
        lines.extend(f"        ({use.name} {json.dumps(dict(use.arguments))})" for use in new)
        called.update(use.name for use in new)
        tools.extend(use.name for use in new)
        lines.append(f"agent   {reply.text}")
        state = policy.heard(state, reply.text, is_interrupted=False)
    return Conversation(tuple(lines), dict(reply.slots), tuple(tools), reply.end_call)


def transcript(conversation: Conversation) -> str:
    return "".join(f"{line}\n" for line in (*conversation.lines, *_outcome(conversation)))


def _outcome(conversation: Conversation) -> Iterator[str]:
    if conversation.slots:
        yield from ("", "understood")
    yield from (f"  {name}: {value}" for name, value in conversation.slots.items())

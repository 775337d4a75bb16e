"""Whole conversations with agents made of prompts, in text, through the playbook engine."""

from __future__ import annotations

from pathlib import Path

import pytest

from contracts.agent_config import AgentConfig
from pipelines.playbook.state import State
from tests.pipelines.playbook.agents import dental_clinic, policy
from tests.pipelines.playbook.dialogue_script import Dialogue, agent_of, dialogues, matches
from tests.pipelines.playbook.prompt_corpus import VARIABLES, prompts

_FOLDER = Path(__file__).parent / "conversations"
_FILES = sorted(_FOLDER.glob("*.txt"))
_ALL = [
    pytest.param(agent_of(path), dialogue, id=f"{path.stem}: {dialogue.name}")
    for path in _FILES
    for dialogue in dialogues(path)
]
_MOST_TIMES = 2


def _agent(name: str) -> AgentConfig:
    return dental_clinic() if name == "demo" else prompts()[name].built


def test_there_are_enough_conversations_over_enough_kinds_of_business() -> None:
    assert len(_ALL) >= 60
    assert len({agent_of(path) for path in _FILES}) >= 15


@pytest.mark.parametrize(("agent", "dialogue"), _ALL)
def test_conversation(agent: str, dialogue: Dialogue) -> None:
    talking = policy(_agent(agent), **VARIABLES)
    state = talking.heard(State(), talking.plan.opener, is_interrupted=False)
    for number, (said, expected) in enumerate(dialogue.turns):
        state, reply = talking.step(state, said)
        assert matches(reply, expected), f"to {said!r}: {reply.text!r} is not {expected!r}"
        for forbidden in dialogue.forbidden.get(number, ()):
            assert forbidden.lower() not in reply.text.lower(), f"to {said!r}: {reply.text!r}"
        state = talking.heard(state, reply.text, is_interrupted=False)
        assert all(count <= _MOST_TIMES for count in state.said.values())
    if dialogue.slots is not None:
        assert reply.slots == dialogue.slots

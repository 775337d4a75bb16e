from __future__ import annotations

from pathlib import Path

import pytest

from pipelines.playbook.policy import Policy
from pipelines.playbook.state import State
from tests.pipelines.playbook.agents import dental_clinic, policy, restaurant
from tests.pipelines.playbook.dialogue_script import Dialogue, dialogues, matches

_FOLDER = Path(__file__).parent / "dialogues"
_POLICIES = {
    "dental_clinic": policy(dental_clinic()),
    "restaurant": policy(restaurant(), owner="Ada"),
}
_ALL = [
    pytest.param(_POLICIES[name], dialogue, id=f"{name}: {dialogue.name}")
    for name in _POLICIES
    for dialogue in dialogues(_FOLDER / f"{name}.txt")
]


@pytest.mark.parametrize(("policy", "dialogue"), _ALL)
def test_dialogue(policy: Policy, dialogue: Dialogue) -> None:
    state = policy.heard(State(), policy.plan.opener, is_interrupted=False)
    for said, expected in dialogue.turns:
        state, reply = policy.step(state, said)
        assert matches(reply, expected), f"to {said!r}: {reply.text!r} is not {expected!r}"
    if dialogue.slots is not None:
        assert reply.slots == dialogue.slots

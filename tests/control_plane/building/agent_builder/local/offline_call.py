"""A text conversation with a drafted agent through the playbook engine, as on an offline call."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date

from contracts.agent_config import AgentConfig
from pipelines.playbook.dialogue_plan import dialogue_plan
from pipelines.playbook.policy import Policy
from pipelines.playbook.state import State, Topic
from pipelines.playbook.values.recognition import Place

TODAY = date(2026, 11, 20)
_MOST_TURNS = 25
ANSWERS = {
    "name": "Anna Smith",
    "phone_number": "five five five, one two three, four five six seven",
    "email": "anna at example dot com",
    "party_size": "four",
    "day": "next Tuesday",
    "time": "half past six in the evening",
    "check_in_date": "next Friday",
    "number_of_nights": "three",
    "team_size": "twenty",
    "budget": "two thousand dollars",
    "rating": "nine",
    "address": "twelve Garden Street",
    "problem": "a pipe has burst in the kitchen",
    "order_reference": "A B four five six",
}
"""What a caller says when asked for a slot."""
OTHERWISE = "the usual please"


@dataclass(frozen=True)
class OfflineCall:
    greeting: str
    asked: tuple[str, ...]
    """Names of the slots and ``?`` for each question of the flow, in the order of asking."""
    said: tuple[str, ...]
    """Everything that the agent said after its greeting."""
    slots: Mapping[str, str]
    is_ended: bool


def hold_call(
    agent: AgentConfig, *, first_words: str = "Hello", answers: Mapping[str, str] = ANSWERS
) -> OfflineCall:
    """A caller who answers everything, confirms the summary and has nothing else to ask."""
    policy = Policy(dialogue_plan(agent, {}), Place(TODAY, "US"))
    state = policy.heard(State(), policy.plan.opener, is_interrupted=False)
    asked, said, words = list[str](), list[str](), first_words
    for _ in range(_MOST_TURNS):
        state, reply = policy.step(state, words)
        said.append(reply.text)
        if reply.end_call:
            return OfflineCall(policy.plan.opener, tuple(asked), tuple(said), reply.slots, True)
        pending = state.pending
        assert pending is not None
        if pending.topic is Topic.FIELD:
            field = policy.plan.field(pending.key)
            is_yes_no = field.kind.value == "yes_no"
            words = "yes" if is_yes_no else answers.get(field.slot, OTHERWISE)
            asked.append(field.slot or "?")
        elif pending.topic is Topic.CONFIRM:
            words = "yes, that's right"
        else:
            words = "no, thanks"
    return OfflineCall(policy.plan.opener, tuple(asked), tuple(said), reply.slots, False)

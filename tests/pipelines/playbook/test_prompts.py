"""What prompts in the styles of several products become, in a call with the playbook engine."""

from __future__ import annotations

import pytest

from contracts.agent_config import AgentConfig
from pipelines.playbook.coverage import coverage
from pipelines.playbook.dialogue_plan import DialoguePlan
from pipelines.playbook.state import State
from tests.pipelines.playbook.agents import policy
from tests.pipelines.playbook.prompt_corpus import VARIABLES, Prompt, prompts

_ALL = [pytest.param(prompt, id=name) for name, prompt in prompts().items()]


def _agents(prompt: Prompt) -> tuple[AgentConfig, AgentConfig]:
    return prompt.built, prompt.pasted


def _with(key: str) -> list[object]:
    return [case for case in _ALL if key in case.values[0].expected]  # type: ignore[union-attr]


def spoken(plan: DialoguePlan) -> str:
    """Everything that the agent may say by itself, and all answers."""
    asked = [text for field in plan.fields for text in (field.question, field.label)]
    responses = (*plan.objections, *plan.scripts)
    # Instructions have no words that set them off.
    answers = [response.text for response in responses if response.trigger.alternatives]
    lines = (plan.opener, plan.closing, plan.fallback, plan.end_message, plan.escalation_line)
    return "\n".join((*asked, *answers, *plan.knowledge, *lines))


def test_there_are_enough_prompts_of_each_style() -> None:
    assert len(_ALL) >= 40
    assert {name.partition("/")[0] for name in prompts()} == {
        "vapi",
        "retell",
        "dograh",
        "handwritten",
    }


@pytest.mark.parametrize("prompt", _with("opener"))
def test_it_opens_as_what_it_is(prompt: Prompt) -> None:
    assert prompt.expected["opener"] in policy(prompt.built, **VARIABLES).plan.opener


@pytest.mark.parametrize("prompt", _with("asks"))
def test_it_asks_for_what_the_prompt_lists(prompt: Prompt) -> None:
    slots = [slot.name for slot in prompt.built.playbook.required_slots]
    assert slots == prompt.expected["asks"]


@pytest.mark.parametrize("prompt", _with("answers"))
def test_it_answers_what_the_prompt_answers(prompt: Prompt) -> None:
    for agent in _agents(prompt):
        talking = policy(agent, **VARIABLES)
        opened = talking.heard(State(), talking.plan.opener, is_interrupted=False)
        for said, expected in prompt.expected["answers"].items():
            _, reply = talking.step(opened, said)
            assert expected.lower() in reply.text.lower(), f"to {said!r}: {reply.text!r}"


@pytest.mark.parametrize("prompt", _with("never"))
def test_it_never_says_what_only_the_prompt_says(prompt: Prompt) -> None:
    for agent in _agents(prompt):
        said = spoken(policy(agent, **VARIABLES).plan).lower()
        assert [text for text in prompt.expected["never"] if text.lower() in said] == []


@pytest.mark.parametrize("prompt", _with("unfollowed"))
def test_what_it_cannot_follow_is_named(prompt: Prompt) -> None:
    for agent in _agents(prompt):
        missed = " ".join(coverage(agent).not_followed)
        assert all(text in missed for text in prompt.expected["unfollowed"])


@pytest.mark.parametrize("prompt", _ALL)
def test_no_slot_is_a_scrap_of_an_instruction(prompt: Prompt) -> None:
    for agent in _agents(prompt):
        names = {field.label for field in policy(agent, **VARIABLES).plan.slots}
        assert not any("question" in name or name.startswith(("they", "you")) for name in names)

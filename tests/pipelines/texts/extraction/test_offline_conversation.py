"""An agent made of a prompt alone holds a call with the playbook engine."""

from __future__ import annotations

import pytest

from contracts.agent_config import AgentConfig
from pipelines.playbook.state import State
from pipelines.texts.prompt import opener
from tests.pipelines.playbook.agents import policy
from tests.pipelines.texts.extraction import prompts

_DIALOGUES = {
    "sections": (
        prompts.SECTIONS,
        "Hello, Bright Dental, this is Mia. How can I help?",
        [
            ("I'd like an appointment", "Have you been here before?"),
            ("No, never", "Which day would you like to come?"),
            ("Next Tuesday please", "name"),
            ("Is it expensive?", "only fifty dollars"),
            ("Anna Smith", "phone number"),
            ("555 123 4567", "Anna Smith"),
            ("Yes", "anything else"),
            ("No thanks", "Thank you for calling. Goodbye."),
        ],
        {"full_name": "Anna Smith"},
    ),
    "lines": (
        prompts.LINES,
        "Hi, this is Sam from Acme Solar, do you have a minute?",
        [
            ("Sure", "Do you own your home?"),
            ("Yes I do", "Do you have shade on the roof?"),
            ("No", "name"),
            ("Bob Miller", "zip code"),
            ("94107", "monthly electric bill"),
            ("About eighty dollars", "Bob Miller"),
        ],
        {"name": "Bob Miller"},
    ),
    "sentence": (
        prompts.SENTENCE,
        "Hello, this is Reception from Luigi's. How can I help you?",
        [
            ("I'd like to order", "order"),
            ("Two margheritas", "delivery address"),
            ("Main street seven", "phone number"),
        ],
        {},
    ),
}


@pytest.mark.parametrize("name", _DIALOGUES)
def test_opener_questions_and_slots_are_really_asked(name: str) -> None:
    prompt, opening, turns, slots = _DIALOGUES[name]
    agent = AgentConfig(name="Reception", system_prompt=prompt)
    assert opener(agent, {}) == opening

    clinic = policy(agent)
    state = clinic.heard(State(), clinic.plan.opener, is_interrupted=False)
    for said, expected in turns:
        state, reply = clinic.step(state, said)
        assert expected in reply.text, f"to {said!r}: {reply.text!r}"
        assert "Guidelines" not in reply.text
    assert slots.items() <= reply.slots.items()


@pytest.mark.parametrize("said", ["Are there any rules?", "What do you say?", "Tell me anything"])
def test_instructions_are_never_read_out(said: str) -> None:
    clinic = policy(AgentConfig(name="Reception", system_prompt=prompts.SECTIONS))
    state = clinic.heard(State(), clinic.plan.opener, is_interrupted=False)
    _, reply = clinic.step(state, said)
    assert "medical advice" not in reply.text

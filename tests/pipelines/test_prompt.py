from __future__ import annotations

from typing import Any

import pytest

from contracts.agent_config import AgentConfig
from pipelines.prompt import compile_prompt, first_sentence, opener


def agent(**fields: Any) -> AgentConfig:
    return AgentConfig.model_validate({"name": "Front desk", **fields})


DENTIST = agent(
    system_prompt="Be kind to {{ customer.name }}.",
    persona={
        "name": "Mia",
        "role": "receptionist",
        "companyName": "Bright Dental",
        "callerPersonas": [{"type": "Anxious", "approach": "Reassure."}],
    },
    playbook={
        "opener": "Hi {{name}}, this is Mia.",
        "qualificationFlow": [{"question": "Which day?", "listensFor": "a date"}],
        "requiredSlots": [{"name": "phone", "description": "to call back", "required": False}],
        "objectionHandlers": [{"trigger": "too expensive", "response": "We have plans."}],
        "scripts": [{"title": "Parking", "when": "asked", "content": "Behind the house."}],
    },
    advanced={"offLimitsTopics": "politics", "prohibitedClaims": "painless"},
)


@pytest.mark.parametrize(
    "expected",
    [
        "You are Mia, receptionist at Bright Dental.",
        "- Anxious: Reassure.",
        "- Which day? (listen for: a date)",
        "- phone (optional): to call back",
        '- When "too expensive": We have plans.',
        "- Parking (when asked): Behind the house.",
        "# Do not talk about\npolitics",
        "# Never claim\npainless",
        "# Additional instructions\nBe kind to Ann.",
    ],
)
def test_builder_writes_every_part_of_the_agent(expected: str) -> None:
    assert expected in compile_prompt(DENTIST, {"customer": {"name": "Ann"}})


def test_builder_leaves_out_sections_without_content() -> None:
    prompt = compile_prompt(agent(), {})
    assert "Objections" not in prompt
    assert "Company" not in prompt


def test_raw_takes_the_system_prompt_alone() -> None:
    raw = agent(
        system_prompt="Only this, {{ name }}.",
        persona={"role": "clerk"},
        advanced={"prompt_mode": "raw"},
    )
    assert compile_prompt(raw, {"name": "Bo"}) == "Only this, Bo."


def test_opener_is_filled_with_variables() -> None:
    assert opener(DENTIST, {"name": "Ann"}) == "Hi Ann, this is Mia."


def test_unknown_variables_disappear_with_their_blank() -> None:
    assert opener(DENTIST, {}) == "Hi, this is Mia."


def test_a_value_is_never_a_template() -> None:
    assert opener(DENTIST, {"name": "{{secret}}", "secret": "x"}) == "Hi {{secret}}, this is Mia."


def test_an_agent_that_waits_for_the_caller_has_no_opener_but_a_first_sentence() -> None:
    waiting = agent(
        playbook={"opener": "Yes?"}, advanced={"startSpeakingPhrasing": "wait_for_user"}
    )
    assert opener(waiting, {}) is None
    assert first_sentence(waiting, {}) == "Yes?"


def test_raw_mode_still_opens_with_the_playbook_s_opener() -> None:
    raw = agent(playbook={"opener": "Hello!"}, advanced={"prompt_mode": "raw"})
    assert opener(raw, {}) == "Hello!"


def test_without_an_opener_the_agent_greets_in_the_call_s_language() -> None:
    assert opener(agent(), {}) == "Hello, this is Front desk. How can I help you?"
    assert (
        opener(agent(), {}, "de-AT") == "Guten Tag, hier ist Front desk. Wie kann ich Ihnen helfen?"
    )

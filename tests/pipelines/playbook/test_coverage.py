from __future__ import annotations

from typing import Any

import pytest

from contracts.agent_config import AgentConfig
from pipelines.playbook.coverage import coverage


def of(**fields: Any) -> Any:
    return coverage(AgentConfig.model_validate({"name": "Mia"} | fields))


def test_questions_answers_and_facts_are_followed() -> None:
    found = of(
        persona={"companyName": "Acme", "knowledgeBase": ["We open at nine. Parking is free."]},
        playbook={
            "requiredSlots": [{"name": "name"}],
            "qualificationFlow": [{"question": "Are you new?"}],
            "objectionHandlers": [{"trigger": "too dear", "response": "It is not."}],
        },
    )
    assert (found.followed, found.not_followed, found.share) == (6, (), 1.0)


def test_an_agent_that_was_told_nothing_is_followed() -> None:
    assert of().share == 1.0


def test_what_a_prompt_says_beyond_that_is_named() -> None:
    found = of(
        system_prompt="# Role\nYou are Mia at Acme.\n# Rules\n- Upsell the premium plan.\n"
        "- Ask for their name."
    )
    assert found.not_followed == ("Upsell the premium plan.",)
    assert found.followed >= 3


@pytest.mark.parametrize(
    "manner",
    [
        "Be friendly and concise.",
        "Ask one question at a time.",
        "Confirm the details.",
        "Never make things up.",
        "Speak slowly.",
        "Use contractions.",
        "Say goodbye.",
        "Thank the caller.",
        "Keep sentences short.",
        "Do not use emoji.",
        "Greet the caller.",
        "<wait for user response>",
    ],
)
def test_manners_are_no_instructions_that_are_missed(manner: str) -> None:
    assert of(persona={"name": "Mia"}, system_prompt=manner).not_followed == ()


def test_of_a_raw_prompt_the_engine_follows_nothing() -> None:
    found = of(system_prompt="Sell cars.", advanced={"prompt_mode": "raw"})
    assert (found.followed, found.not_followed) == (0, ("Sell cars.",))

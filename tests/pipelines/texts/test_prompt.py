from __future__ import annotations

from collections.abc import Iterator
from typing import Any, get_args

import pytest
from pydantic import BaseModel

from contracts.agent_config import AgentConfig, Persona, Playbook
from pipelines.texts.agent_texts import needed_variables, unknown_variables
from pipelines.texts.extraction.prompt_extraction import extract_from_prompt
from pipelines.texts.prompt import compile_prompt, first_sentence, opener


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


_CHOOSE_THE_VOICE = {"persona.voiceConfig.voiceId", "persona.voiceConfig.language"}
"""Settings of speech synthesis: nothing that a language model could act on."""


def _every_field(model: type[BaseModel], path: str) -> Iterator[tuple[str, Any]]:
    """Paths on the wire of the fields of a model and of the models in it, and their types."""
    for name, field in model.model_fields.items():
        below = f"{path}.{field.alias or name}"
        inner = [t for t in (field.annotation, *get_args(field.annotation)) if _is_model(t)]
        if inner:
            yield from _every_field(inner[0], below)
        else:
            yield below, field.annotation


def _is_model(annotation: Any) -> bool:
    return isinstance(annotation, type) and issubclass(annotation, BaseModel)


_FIELDS = [
    (field, kind)
    for field, kind in (*_every_field(Persona, "persona"), *_every_field(Playbook, "playbook"))
    if field not in _CHOOSE_THE_VOICE
]
_LISTS = {
    "persona.callerPersonas",
    "playbook.qualificationFlow",
    "playbook.requiredSlots",
    "playbook.objectionHandlers",
    "playbook.scripts",
}


def _document(of: str, value: Any) -> dict[str, Any]:
    """An agent with ``value`` in one field, and short texts in its neighbours in a list."""
    document: dict[str, Any] = {"name": "Front desk"}
    *parents, last = of.split(".")
    holder: Any = document
    for i, part in enumerate(parents):
        is_list = ".".join(parents[: i + 1]) in _LISTS
        below: dict[str, Any] = {}
        holder[part] = [below] if is_list else below
        holder = below
    path = ".".join(parents)
    neighbours = [name for name, kind in _FIELDS if name.startswith(f"{path}.") and kind is str]
    if path in _LISTS:
        holder |= {name.rpartition(".")[2]: "x" for name in neighbours}
    holder[last] = value
    return document


@pytest.mark.parametrize(("field", "kind"), _FIELDS, ids=[name for name, _ in _FIELDS])
def test_every_field_of_persona_and_playbook_is_in_the_prompt(field: str, kind: Any) -> None:
    def prompt(value: Any) -> str:
        return compile_prompt(AgentConfig.model_validate(_document(field, value)), {})

    if kind is bool:
        assert prompt(True) != prompt(False)
    else:
        sentinel = "Kumquat"
        value = [sentinel] if kind == tuple[str, ...] else sentinel
        assert sentinel in prompt(value)


def test_a_lone_prompt_is_turned_into_persona_and_playbook_and_said_once() -> None:
    text = "You are Mia, a nurse at Acme.\n- Never give medical advice.\nAsk for their name."
    prompt = compile_prompt(agent(system_prompt=text), {})
    assert "You are Mia, a nurse at Acme." in prompt
    assert prompt.count("Never give medical advice.") == 1
    assert "# Information to collect and confirm\n- name" in prompt
    assert "Additional instructions" not in prompt


def test_a_prompt_whose_persona_and_playbook_were_stored_with_it_is_still_said_once() -> None:
    text = "You are Mia, a nurse at Acme. Ask for their name. Never shout."
    found = extract_from_prompt(text, "Front desk")
    lone = agent(system_prompt=text)
    stored = lone.model_copy(update={"persona": found.persona, "playbook": found.playbook})
    assert compile_prompt(stored, {}) == compile_prompt(lone, {})


def test_after_an_edit_the_edited_words_win_over_the_prompt_they_came_from() -> None:
    text = 'Start by saying "Hi." Ask for their name.'
    playbook = extract_from_prompt(text, "Front desk").playbook
    edited = playbook.model_copy(update={"opener": "Good day."})
    prompt = compile_prompt(agent(system_prompt=text, playbook=edited.model_dump()), {})
    assert "# Your first words\nGood day." in prompt
    assert "# Additional instructions (where they differ from the above, the above holds)" in prompt


def test_a_lone_prompt_opens_the_call() -> None:
    assert opener(agent(system_prompt='Start by saying "Hi {{ name }}."'), {"name": "Bo"}) == (
        "Hi Bo."
    )


def test_raw_is_the_prompt_to_the_letter() -> None:
    text = "  # Hi\r\n\n{not a tag}  You are {{ name }}. \n"
    raw = agent(system_prompt=text, advanced={"prompt_mode": "raw"})
    assert compile_prompt(raw, {"name": "Bo"}) == text.replace("{{ name }}", "Bo")


def test_a_broken_text_leaves_the_others_filled_in() -> None:
    broken = agent(persona={"role": "{% if %}"}, playbook={"opener": "Hi {{ name }}."})
    prompt = compile_prompt(broken, {"name": "Bo"})
    assert "{% if %}" in prompt
    assert "Hi Bo." in prompt


def test_values_are_no_templates_in_the_prompt_either() -> None:
    asked = agent(playbook={"opener": "Hi {{ name }}."})
    assert "Hi {{ secret }}." in compile_prompt(asked, {"name": "{{ secret }}", "secret": "x"})


def test_the_variables_that_an_agent_needs_are_known_by_field() -> None:
    assert needed_variables(DENTIST) == {
        "name": "playbook.opener",
        "customer.name": "system_prompt",
    }
    assert unknown_variables(DENTIST, {"name": None}) == ("customer.name",)
    assert unknown_variables(DENTIST, {"name": "x", "customer.name": "y"}) == ()


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


def test_what_an_agent_may_not_say_holds_in_raw_mode_too() -> None:
    raw = agent(
        system_prompt="Only this.",
        advanced={
            "prompt_mode": "raw",
            "offLimitsTopics": "politics",
            "prohibitedClaims": "we are the {{ rank }}",
        },
    )
    prompt = compile_prompt(raw, {"rank": "cheapest"})
    assert prompt.startswith("Only this.\n")
    assert "politics" in prompt
    assert "we are the cheapest" in prompt


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

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from contracts.agent_config import MAX_ITEMS, Persona, Playbook
from pipelines.texts.extraction.draft import words_of
from pipelines.texts.extraction.prompt_extraction import extract_from_prompt
from pipelines.texts.extraction.stop_words import HEADING_WORDS, STRUCTURE
from tests.pipelines.texts.extraction import prompts


def persona(prompt: str, name: str = "Reception") -> Persona:
    return extract_from_prompt(prompt, name).persona


def playbook(prompt: str) -> Playbook:
    return extract_from_prompt(prompt, "Reception").playbook


def questions(prompt: str) -> list[str]:
    return [asked.question for asked in playbook(prompt).qualification_flow]


def slots(prompt: str) -> list[str]:
    return [slot.name for slot in playbook(prompt).required_slots]


@pytest.mark.parametrize(
    ("prompt", "name", "role", "company"),
    [
        ("You are Mia, a receptionist at Bright Dental.", "Mia", "a receptionist", "Bright Dental"),
        ("You're a helpful clerk named Bo.", "Bo", "a helpful clerk", None),
        ("You are Ann Lee from Acme Corp.", "Ann Lee", None, "Acme Corp"),
        ("Act as a booking agent for The Grand Hotel", None, "a booking agent", "The Grand Hotel"),
        ("You are the assistant of {{ company }}.", None, "the assistant", "{{ company }}"),
        ("You are {{ agent }}, a nurse.", "{{ agent }}", "a nurse", None),
        ("You are front desk at Ritz.", "front desk", None, "Ritz"),
        ("Your name is Zoe. You work for Delta Air.", "Zoe", None, "Delta Air"),
        ("Name: Zoe\nRole: nurse\nCompany: City Clinic", "Zoe", "nurse", "City Clinic"),
        ("You are on a phone call.", None, None, None),
        ("You are not allowed to swear.", None, None, None),
    ],
)
def test_who_the_agent_is(
    prompt: str, name: str | None, role: str | None, company: str | None
) -> None:
    found = persona(prompt, "Front desk")
    assert (found.name, found.role, found.company_name) == (name, role, company)


def test_what_the_persona_takes_from_a_prompt() -> None:
    found = persona(prompts.SECTIONS)
    assert found.company_description == "Bright Dental is a family dental clinic in Leeds."
    assert found.tone_override == "Be warm, calm and brief."
    assert found.success_criteria == ("Book appointments.",)
    assert found.knowledge_base == ("We are open Monday to Friday from 8 to 6.",)
    assert persona(prompts.LABELS).audience_description is not None


@pytest.mark.parametrize(
    ("prompt", "opener"),
    [
        ('Start by saying "Hello. How are you?"', "Hello. How are you?"),
        ("Start the call by saying 'Hi, I'm Ann. What's up?'", "Hi, I'm Ann. What's up?"),
        ("Greet the caller with: “Good morning!”", "Good morning!"),
        (
            "# Greeting\nHello, this is Acme.\nHow can I help?",
            "Hello, this is Acme. How can I help?",
        ),
        ("Opening line: Hi there, this is Bo.", "Hi there, this is Bo."),
        ("Greet the caller warmly.", None),
    ],
)
def test_the_opener(prompt: str, opener: str | None) -> None:
    assert playbook(prompt).opener == opener


@pytest.mark.parametrize(
    "prompt",
    [
        'End the call by saying "Thank you, bye!"',
        'Before hanging up, say "Thank you, bye!"',
        "Goodbye: Thank you, bye!",
        'Say goodbye with "Thank you, bye!"',
    ],
)
def test_the_goodbye(prompt: str) -> None:
    assert playbook(prompt).end_call_message == "Thank you, bye!"


@pytest.mark.parametrize(
    ("prompt", "expected"),
    [
        ('Ask "Which day suits you?"', "Which day suits you?"),
        ("Ask: Do you own your home?", "Do you own your home?"),
        ("- Do you have insurance?", "Do you have insurance?"),
        ("Ask the caller if they are a new patient.", "Are you a new patient?"),
        ("Ask whether they have been here before.", "Have you been here before?"),
        ("Then ask if they need parking.", "Do you need parking?"),
        ("Ask if they'd like a reminder", "Would you like a reminder?"),
        ("Ask if their roof leaks.", "Please tell me whether your roof leaks."),
        ("Ask which day they would like.", "Which day would you like?"),
        ("Ask what time they prefer.", "Please tell me what time you prefer."),
        ("Ask how many people will come.", "How many people will come?"),
        ("Ask about their allergies.", "What can you tell me about allergies?"),
    ],
)
def test_questions_are_put_to_the_caller(prompt: str, expected: str) -> None:
    assert questions(prompt) == [expected]


@pytest.mark.parametrize(
    ("prompt", "expected"),
    [
        ("Ask for their name and phone number.", ["name", "phone_number"]),
        ("Collect: name, zip code (five digits), and budget", ["name", "zip_code", "budget"]),
        ("Collect the caller's full name, email address.", ["full_name", "email_address"]),
        ("Ask the customer for the preferred date and time.", ["preferred_date_and_time"]),
        ("Get their order number so that we can find it.", ["order_number"]),
        ("Required information:\n- Name: as on the card\n- Seat", ["name", "seat"]),
        ("You need to collect the following:\n1. Full name\n2. Age", ["full_name", "age"]),
        ("Greet the caller, ask for their name, and be kind.", ["name"]),
        ("Never ask for a credit card number.", []),
        ("Get to the point.", []),
    ],
)
def test_details_to_collect_become_slots(prompt: str, expected: list[str]) -> None:
    assert slots(prompt) == expected


def test_a_slot_may_be_optional_and_is_described_in_the_prompt_s_words() -> None:
    by_name = {slot.name: slot for slot in playbook(prompts.LINES).required_slots}
    assert [slot.required for slot in by_name.values()] == [True, True, True, False]
    assert by_name["monthly_electric_bill"].description == "monthly electric bill (in dollars)"


@pytest.mark.parametrize(
    ("prompt", "trigger", "response"),
    [
        ('If they say "not interested", reply "No worries!"', "not interested", "No worries!"),
        ("If they say it is too dear, say 'We have plans.'", "it is too dear", "We have plans."),
        ("If they are scared, tell them that we are gentle.", "scared", "We are gentle."),
        ("too dear -> We have plans.", "too dear", "We have plans."),
        ("# Objections\n- Too dear: We have plans.", "Too dear", "We have plans."),
    ],
)
def test_what_is_answered_to_objections(prompt: str, trigger: str, response: str) -> None:
    [handler] = playbook(prompt).objection_handlers
    assert (handler.trigger, handler.response) == (trigger, response)


@pytest.mark.parametrize(
    "prompt",
    [
        "If they ask about parking, say there is free parking.",
        "Q: Is there parking?\nA: There is free parking.",
        'When asked about parking, answer "There is free parking."',
    ],
)
def test_answers_to_questions_become_scripts(prompt: str) -> None:
    [script] = playbook(prompt).scripts
    assert "parking" in script.when
    assert script.content == "There is free parking."


def test_a_paragraph_is_taken_apart_into_its_instructions() -> None:
    found = playbook(prompts.PARAGRAPH)
    assert found.opener == "Welcome to Chez Ann!"
    assert [slot.name for slot in found.required_slots] == [
        "date_and_time",
        "number_of_guests",
        "name",
        "phone_number",
    ]
    [guidelines] = found.scripts
    assert guidelines.content == (
        "Always repeat the booking details.\nIf the restaurant is full, offer the waiting list."
    )


def test_an_owner_s_own_words_are_understood() -> None:
    assert persona(prompts.OWNER).company_name == "Leak Busters"
    assert questions(prompts.OWNER) == ["Please tell me what's wrong."]
    assert slots(prompts.OWNER) == ["name", "phone_number"]
    assert playbook(prompts.OWNER).escalation_rule == "Emergencies should be transferred to me."


@pytest.mark.parametrize(
    "line", ["- Not interested: Thank them and end the call.", '- "We have one" - Ask about it.']
)
def test_instructions_are_no_words_to_be_said(line: str) -> None:
    found = extract_from_prompt(f"# Objections\n{line}", "Reception")
    assert found.playbook.objection_handlers == ()
    assert found.persona.knowledge_base == ()


def test_handing_over_is_a_rule_of_its_own() -> None:
    rule = "If the caller asks for a human, transfer them to the front desk."
    assert playbook(prompts.SECTIONS).escalation_rule == rule


@pytest.mark.parametrize(
    "rule", ["Never give medical advice.", "Don't be pushy.", "If they shout, wait a moment."]
)
def test_what_fits_no_field_is_kept_to_the_letter(rule: str) -> None:
    [guidelines] = playbook(f"You are Mia.\n\n# Rules\n- {rule}").scripts
    assert guidelines.title == "Guidelines"
    assert rule in guidelines.content


def _texts(value: Any) -> Iterator[str]:
    match value:
        case str():
            yield value.replace("_", " ")
        case dict():
            yield from (text for below in value.values() for text in _texts(below))
        case tuple() | list():
            yield from (text for below in value for text in _texts(below))


_line = st.sampled_from(
    [line for prompt in prompts.ALL for line in prompt.splitlines()]
    + [
        "# A heading of theirs",
        "ALL ABOUT ROOFS",
        "When they book, collect the following:",
        "* * *",
    ]
) | st.text(max_size=60)
_prompts = st.lists(_line, max_size=12).map("\n".join)


@settings(max_examples=300, deadline=None)
@given(_prompts, st.text(max_size=12))
@example("Name: Mia\n# Name\nother", "")
def test_no_word_of_any_prompt_is_lost(prompt: str, name: str) -> None:
    found = extract_from_prompt(prompt, name)
    there = words_of(
        " ".join([*_texts(found.persona.model_dump()), *_texts(found.playbook.model_dump())])
    )
    for line in prompt.splitlines():
        missing = words_of(line) - STRUCTURE - HEADING_WORDS - there
        assert not {word for word in missing if not word.isdigit() and len(word) > 1}, line


@given(_prompts)
def test_the_same_prompt_is_always_read_alike(prompt: str) -> None:
    first = extract_from_prompt(prompt, "Reception")
    extract_from_prompt.cache_clear()
    assert extract_from_prompt(prompt, "Reception") == first
    assert extract_from_prompt(f"\n\n{prompt}\n \n", "Reception") == first


@pytest.mark.parametrize("prompt", ["", " \n\t\n", "---\n***"])
def test_a_prompt_that_says_nothing_gives_nothing(prompt: str) -> None:
    found = extract_from_prompt(prompt, "Reception")
    assert (found.persona, found.playbook) == (Persona(), Playbook())


@pytest.mark.parametrize(
    "piece", ["a ", "'a ", '"a', "ask ", "if they say ", "You are A B C ", "x\n", "- a, b and c\n"]
)
def test_a_long_prompt_does_not_stall_the_process(piece: str) -> None:
    prompt = (piece * 100_000)[:100_000]
    started = time.process_time()
    extract_from_prompt(prompt, "Reception")
    assert time.process_time() - started < 2.0


def test_what_the_lists_of_a_playbook_cannot_hold_becomes_a_guideline() -> None:
    found = playbook(
        "\n".join(f'If the caller says "too expensive {n}", say "Offer {n}."' for n in range(300))
    )
    assert len(found.objection_handlers) == MAX_ITEMS
    said = [handler.response for handler in found.objection_handlers]
    said += [script.content for script in found.scripts]
    assert all(f"Offer {n}." in " ".join(said) for n in range(300))

"""An agent that is drafted from one sentence holds a call without a language model."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from contracts.agent_config import AgentConfig
from control_plane.building.agent_builder.local.composition import compose
from pipelines.texts.prompt import compile_prompt
from tests.control_plane.building.agent_builder.local.offline_call import hold_call


@dataclass(frozen=True)
class Case:
    prompt: str
    greets: str
    """Occurs in the greeting."""
    asks: tuple[str, ...]
    """Slots, in this order."""


CASES = {
    "restaurant": Case(
        "An agent that takes table bookings for my Italian restaurant Bella Napoli. Ask for name, "
        "party size, day and time.",
        "Bella Napoli",
        ("name", "party_size", "day", "time"),
    ),
    "restaurant in half a sentence": Case(
        "take table reservations for Chez Ada",
        "Chez Ada",
        ("party_size", "day", "time", "name", "phone_number"),
    ),
    "dental clinic": Case(
        "A calm receptionist called Mia for Bright Smile Dental that books appointments and asks "
        "whether they have insurance.",
        "Mia",
        ("insurance", "name", "day", "time"),
    ),
    "plumber": Case(
        "We are Swift Plumbing. Answer emergency calls, find out what the problem is, the address "
        "and a callback number.",
        "Swift Plumbing",
        ("problem", "address", "phone_number"),
    ),
    "lead qualification": Case(
        "Qualify leads for our SaaS Acme Metrics: ask about company size, budget, timeline and "
        "their email.",
        "Acme Metrics",
        ("team_size", "budget", "timeline", "email", "name"),
    ),
    "hotel": Case(
        "Hotel Seaview needs a friendly agent that takes room reservations.",
        "Hotel Seaview",
        ("party_size", "check_in_date", "number_of_nights", "name", "phone_number"),
    ),
    "real estate": Case(
        "Agent for a real estate agency called Blue Door Homes that schedules property viewings",
        "Blue Door Homes",
        ("property", "day", "time", "name", "phone_number"),
    ),
    "survey": Case(
        "Call customers of Nordic Bikes for a short survey: ask how satisfied they are from 1 to "
        "10 and what we could improve.",
        "Nordic Bikes",
        ("rating", "could_improve"),
    ),
    "delivery": Case(
        "Reschedule failed deliveries for ParcelJet: collect the name, tracking number and a new "
        "delivery date.",
        "ParcelJet",
        ("name", "tracking_reference", "day"),
    ),
    "hair salon": Case(
        "A booking assistant for the hair salon Shear Delight",
        "Shear Delight",
        ("service", "day", "time", "name", "phone_number"),
    ),
    "gym": Case(
        "You are Max from Iron Temple Gym. Book free trial classes and get the caller's name and "
        "phone number.",
        "Max",
        ("name", "phone_number", "day", "time"),
    ),
    "insurance claim": Case(
        "Insurance claims intake for SafeHarbor: find out what happened, when it happened, the "
        "policy number and if anyone is injured.",
        "SafeHarbor",
        ("incident", "happened", "policy_reference", "anyone_injured", "name"),
    ),
    "help desk": Case(
        "IT help desk agent for Contoso employees. Collect name, employee ID, the issue and how "
        "urgent it is.",
        "Contoso",
        ("name", "employee_id", "problem", "urgency"),
    ),
    "order status": Case(
        "Order status line for the webshop Teapot Lane: ask for order number and name.",
        "Teapot Lane",
        ("order_reference", "name"),
    ),
    "orders": Case(
        "Take pizza orders for Luigi's Pizzeria, with name, phone number and delivery or pickup",
        "Luigi's Pizzeria",
        ("name", "phone_number", "delivery_or_pickup", "order"),
    ),
    "messages": Case(
        "An after-hours assistant for Miller Law that takes messages",
        "Miller Law",
        ("message", "name", "phone_number"),
    ),
    "own words": Case(
        "Groomer Happy Paws needs appointments booked. Ask for the pet's name, the breed and "
        "whether the dog is nervous.",
        "Happy Paws",
        ("pets_name", "breed", "dog_nervous", "name", "day", "time"),
    ),
    "solar panels": Case(
        "SunRay sells solar panels. Call homeowners who filled out our form, check whether they "
        "own their home and their monthly electricity bill.",
        "SunRay",
        ("own_home", "monthly_electricity_bill"),
    ),
    "keywords": Case(
        "Appointment line of Dr. Patel. Name, phone, date, time.",
        "Dr. Patel",
        ("name", "phone_number", "day", "time"),
    ),
    "bullets": Case(
        "Receptionist for Northside Vets.\n\nCollect:\n- owner name\n- phone number\n- reason for "
        "the visit\n- preferred day and time\n",
        "Northside Vets",
        ("name", "phone_number", "reason", "day", "time"),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_it_greets_asks_reads_back_and_closes(name: str) -> None:
    case = CASES[name]
    agent = compose(case.prompt).config

    call = hold_call(agent)

    assert case.greets in call.greeting
    assert call.asked == case.asks
    assert set(call.slots) == set(case.asks)
    read_back = next(text for text in call.said if "Let me repeat" in text)
    assert all(value in read_back for value in ("Anna Smith",) if "name" in case.asks)
    assert call.is_ended
    assert "Goodbye" in call.said[-1]
    assert call.greeting in compile_prompt(agent, {})


def test_what_the_caller_volunteers_is_not_asked_again() -> None:
    agent = compose(CASES["restaurant"].prompt).config
    call = hold_call(agent, first_words="A table for four next Tuesday at seven, please")
    assert call.asked == ("name",)
    assert call.slots["party_size"] == "4"
    assert call.slots["time"] == "19:00"


def test_facts_objections_and_questions_of_the_prompt_are_answered() -> None:
    agent = compose(
        "A booking agent for the hair salon Shear Delight. We are open Tuesday to Saturday from 9 "
        "am to 6 pm. A haircut costs $40. If they say it takes too long, tell them that most "
        "cuts take half an hour. When asked about parking, say that there is a garage next door."
    ).config

    def answer(question: str) -> str:
        return hold_call(agent, first_words=question).said[0]

    assert "from 9 am to 6 pm" in answer("When are you open?")
    assert "costs $40" in answer("How much is a haircut?")
    assert "Most cuts take half an hour." in answer("But it takes too long")
    assert "There is a garage next door." in answer("Is there parking?")


def test_a_reminder_says_what_it_is_about_and_notes_another_day() -> None:
    agent = compose(
        "Remind patients of Dr. Lee about their appointment and let them reschedule."
    ).config

    coming = hold_call(agent, first_words="Yes, I'll be there")
    moving = hold_call(agent, first_words="No, can we do next Tuesday at three?")

    assert "Dr. Lee" in coming.greeting
    assert "reminder of your appointment" in coming.greeting
    assert coming.is_ended
    assert moving.slots == {"day": "2026-11-24", "time": "15:00"}
    assert "Let me repeat" in moving.said[0]


def test_a_condition_for_a_person_is_noticed() -> None:
    agent = compose(
        "Swift Plumbing takes emergency calls. If there is flooding, transfer to the on-call "
        "plumber at +1 555 010 9999."
    ).config
    call = hold_call(agent, first_words="There is flooding in my house")
    assert "+1 555 010 9999" in (agent.playbook.escalation_rule or "")
    assert "get back to you" in call.said[0]


def test_a_vague_prompt_gives_an_agent_that_says_little_and_promises_nothing() -> None:
    draft = compose("help my customers")
    call = hold_call(draft.config)
    assert call.asked == ()
    assert call.is_ended
    assert any("names no task" in warning for warning in draft.warnings)


def test_a_german_prompt_gives_an_agent_that_asks_in_german() -> None:
    agent = compose(
        "Ein Agent, der Tischreservierungen für mein Restaurant Alte Post annimmt und nach Name, "
        "Personenzahl, Tag und Uhrzeit fragt."
    ).config
    call = hold_call(agent, first_words="Guten Tag")
    assert agent.language == "de-DE"
    assert "Alte Post" in call.greeting
    assert call.asked == ("name", "party_size", "day", "time")
    assert "Für wie viele Personen?" in call.said
    assert "Auf Wiederhören" in call.said[-1]


def test_an_english_prompt_for_a_spanish_agent_asks_in_spanish() -> None:
    agent = compose("Speaks Spanish. Books appointments for Clinica Sol.").config
    call = hold_call(agent, first_words="Hola")
    assert agent.language == "es-ES"
    assert "Clinica Sol" in call.greeting
    assert "¿Cómo se llama usted?" in call.said


def test_prices_inside_an_instruction_are_facts() -> None:
    agent = compose(
        "I run Paws & Claws. Someone should book grooming appointments and tell people our prices: "
        "a bath is $30 and a full groom is $65."
    ).config
    assert agent.persona.knowledge_base == ("A bath is $30.", "A full groom is $65.")


def test_what_was_not_understood_is_kept_and_reported() -> None:
    draft = compose(
        "Books tables for Bella Napoli. The moon is made of cheese. Never ask for card numbers."
    )
    assert "Never ask for card numbers." in (draft.config.system_prompt or "")
    assert any("Never ask for card numbers." in warning for warning in draft.warnings)


def test_nothing_is_made_up() -> None:
    agent: AgentConfig = compose(CASES["restaurant in half a sentence"].prompt).config
    assert agent.persona.knowledge_base == ()
    assert agent.persona.company_description is None
    assert agent.playbook.objection_handlers == ()
    assert agent.playbook.escalation_rule is None

"""What agents say at the beginning and the end of a call if their prompt does not dictate it."""

from __future__ import annotations

from contracts.agent_config import QualificationQuestion
from control_plane.building.agent_builder.local.reading.prompt_reading import Reading

NAMELESS = "the virtual assistant"


def opener(reading: Reading) -> str:
    """A greeting that names the agent or the business and says that it is automated."""
    company = reading.names.business
    of_company = f" of {company}" if company else ""
    if reading.names.agent:
        role = reading.tasks[0].role if reading.tasks else "assistant"
        greeting = f"Hello, this is {reading.names.agent}, the automated {role}{of_company}."
    else:
        greeting = f"Hello, this is the automated assistant{of_company}."
    if not reading.is_outbound:
        return f"{greeting} How can I help you?"
    if reading.outbound.asks_for:
        return f"{greeting} {reading.outbound.asks_for}"
    return f"{greeting} {_business(reading)}"


def first_questions(reading: Reading) -> tuple[QualificationQuestion, ...]:
    """What an agent says before anything else once it speaks with the right person."""
    if not (reading.is_outbound and reading.outbound.asks_for):
        return ()
    return (QualificationQuestion(question=_business(reading)),)


def _business(reading: Reading) -> str:
    if reading.outbound.business and not any(task.stands_alone for task in reading.tasks):
        return f"{reading.outbound.business} Is this a good moment?"
    return reading.tasks[0].opening if reading.tasks else "Is this a good moment?"


def closing(reading: Reading) -> str:
    return reading.tasks[0].closing if reading.tasks else "Thank you. I have noted everything."


def fallback(reading: Reading) -> str:
    if reading.is_outbound:
        return "No problem, thank you anyway."
    return "I will note what I have, and our team can take it from there."


def farewell(reading: Reading) -> str:
    if reading.is_outbound:
        return "Thank you for your time. Goodbye."
    company = f" {reading.names.business}" if reading.names.business else ""
    return f"Thank you for calling{company}. Goodbye."


def agent_label(reading: Reading) -> str:
    """The agent's label in the dashboard."""
    names = reading.names
    role = reading.tasks[0].role if reading.tasks else "assistant"
    if names.business:
        return f"{names.business} {role}"[:100]
    return (names.agent or f"{role[:1].upper()}{role[1:]}")[:100]

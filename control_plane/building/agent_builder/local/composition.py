"""Writes an agent's configuration from what a prompt says.

Nothing is invented: prices, hours and promises come from the prompt or are left out. What the
prompt does not say (how to greet, what a booking needs) follows from the agent's task.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from contracts.agent_config import (
    Advanced,
    AgentConfig,
    Persona,
    Playbook,
    RequiredSlot,
)
from control_plane.building.agent_builder.local.foreign_wording import (
    slots_in,
    translated,
    wording_for,
)
from control_plane.building.agent_builder.local.reading.languages import DEFAULT, written_in
from control_plane.building.agent_builder.local.reading.prompt_reading import Reading, read
from control_plane.building.agent_builder.local.reading.tone import joined

NAMELESS = "the virtual assistant"
_LONGEST_LEFT_OVER = 20_000


@dataclass(frozen=True)
class LocalDraft:
    config: AgentConfig
    warnings: tuple[str, ...]
    """Sentences that say what is missing or was not understood."""


def compose(prompt: str) -> LocalDraft:
    """Write an agent for any ``prompt``. Never raises."""
    reading = read(prompt)
    language = reading.languages[0] if reading.languages else DEFAULT
    if language.startswith("en"):
        playbook = _playbook(reading)
    else:
        playbook = _foreign_playbook(prompt, reading, language)
    left_over = "\n".join(reading.left_over)[:_LONGEST_LEFT_OVER]
    config = AgentConfig(
        name=_agent_name(reading),
        language=language,
        supported_languages=reading.languages if len(reading.languages) > 1 else (),
        system_prompt=left_over or None,
        persona=_persona(reading, playbook),
        playbook=playbook,
        advanced=Advanced(
            off_limits_topics=reading.off_limits or None,
            prohibited_claims=reading.prohibited_claims or None,
        ),
    )
    return LocalDraft(config, tuple(_warnings(reading, language)))


def is_thin(reading: Reading) -> bool:
    """Whether the prompt does not say what the agent should do on a call."""
    return not (reading.tasks or reading.details or reading.questions)


def _agent_name(reading: Reading) -> str:
    """The agent's label in the dashboard."""
    names = reading.names
    role = reading.tasks[0].role if reading.tasks else "assistant"
    if names.business:
        return f"{names.business} {role}"[:100]
    return (names.agent or f"{role[:1].upper()}{role[1:]}")[:100]


def _persona(reading: Reading, playbook: Playbook) -> Persona:
    role = reading.tasks[0].role if reading.tasks else None
    noted = [slot.name.replace("_", " ") for slot in playbook.required_slots if slot.required]
    success = f"Noted and confirmed: {joined(noted[:8])}." if noted else ""
    return Persona(
        name=reading.names.agent or NAMELESS,
        role=role,
        tone_override=reading.tone or None,
        company_name=reading.names.business or None,
        company_website=reading.website or None,
        company_description=reading.description or None,
        knowledge_base=reading.facts,
        success_criteria=(success,) if success else (),
    )


def _playbook(reading: Reading) -> Playbook:
    return Playbook(
        opener=reading.lines.opener or opener(reading),
        qualification_flow=reading.questions,
        required_slots=tuple(_slots(reading)),
        objection_handlers=reading.objections,
        scripts=reading.scripts,
        closing_cta=reading.lines.closing or _closing(reading),
        fallback_cta=_fallback(reading),
        escalation_rule=reading.escalation or None,
        end_call_message=reading.lines.farewell or _farewell(reading),
    )


def _slots(reading: Reading) -> Iterable[RequiredSlot]:
    """The details that the prompt lists, then those that its tasks need.

    If the prompt lists none, details that are merely useful for the tasks are added as well.
    """
    is_listed = bool(reading.details or reading.questions)
    wanted = list(reading.details)
    for task in reading.tasks:
        more = (
            task.needs if is_listed else (*_without_contact(task.helps), *task.needs, *task.helps)
        )
        wanted += more
    by_name: dict[str, RequiredSlot] = {}
    for slot in wanted:
        by_name.setdefault(slot.name, slot)
    return by_name.values()


def _without_contact(helps: tuple[RequiredSlot, ...]) -> tuple[RequiredSlot, ...]:
    """The details without the caller's name and contact, which are asked for last."""
    return tuple(slot for slot in helps if slot.name not in ("name", "phone_number", "email"))


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
    return f"{greeting} {reading.tasks[0].opening if reading.tasks else 'Is this a good moment?'}"


def _closing(reading: Reading) -> str:
    return reading.tasks[0].closing if reading.tasks else "Thank you. I have noted everything."


def _fallback(reading: Reading) -> str:
    if reading.is_outbound:
        return "No problem, thank you anyway."
    return "I will note what I have, and our team can take it from there."


def _farewell(reading: Reading) -> str:
    if reading.is_outbound:
        return "Thank you for your time. Goodbye."
    company = f" {reading.names.business}" if reading.names.business else ""
    return f"Thank you for calling{company}. Goodbye."


def _foreign_playbook(prompt: str, reading: Reading, language: str) -> Playbook:
    """A playbook in a language other than English.

    Without wording for the language the opener stays empty, and the platform's own greeting is
    used.
    """
    wording = wording_for(language)
    if wording is None:
        return Playbook(
            opener=reading.lines.opener or None,
            qualification_flow=reading.questions,
            required_slots=tuple(_slots(reading)),
            closing_cta=reading.lines.closing or None,
            end_call_message=reading.lines.farewell or None,
        )
    if written_in(prompt) == language:
        slots = slots_in(prompt, wording)
    else:
        slots = tuple(translated(slot, wording) for slot in _slots(reading))
    company = reading.names.business
    opener = wording.opener.format(company=company) if company else wording.opener_without_company
    return Playbook(
        opener=reading.lines.opener or opener,
        qualification_flow=reading.questions,
        required_slots=slots,
        closing_cta=reading.lines.closing or wording.closing,
        escalation_rule=reading.escalation or None,
        end_call_message=reading.lines.farewell or wording.farewell,
    )


def _warnings(reading: Reading, language: str) -> Iterable[str]:
    if not reading.names.business:
        yield "The prompt names no business, so the agent mentions none."
    if is_thin(reading) and language.startswith("en"):
        yield (
            "The prompt names no task, so the agent only greets callers and answers from what it "
            "knows. Say what it should do, for example book appointments, and what it should ask "
            "for."
        )
    if reading.escalation:
        yield (
            "Where the prompt asks for a transfer, the agent offers a call back until you add a "
            "transfer tool to it."
        )
    if not language.startswith("en") and wording_for(language) is None:
        yield f"The agent's texts could not be written in {language}; please write them yourself."
    if reading.left_over:
        count = len(reading.left_over)
        yield (
            f"{count} sentence{'s' if count > 1 else ''} of the prompt "
            f"{'were' if count > 1 else 'was'} kept as additional instructions, which only a "
            f"language model can follow: {_shortened(reading.left_over)}"
        )


def _shortened(texts: tuple[str, ...]) -> str:
    shown = " ".join(texts)
    return shown if len(shown) <= 200 else f"{shown[:200]}…"

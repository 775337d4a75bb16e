"""Writes an agent's configuration from what a prompt says.

Nothing is invented: prices, hours and promises come from the prompt or are left out. What the
prompt does not say (how to greet, what a booking needs) follows from the agent's task.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from contracts.agent_config import Advanced, AgentConfig, Persona, Playbook
from control_plane.building.agent_builder.local.document import document_agent
from control_plane.building.agent_builder.local.foreign_wording import (
    slots_in,
    translated,
    wording_for,
)
from control_plane.building.agent_builder.local.reading.languages import DEFAULT, written_in
from control_plane.building.agent_builder.local.reading.prompt_reading import Reading, read
from control_plane.building.agent_builder.local.reading.tone import joined
from control_plane.building.agent_builder.local.standard_lines import (
    NAMELESS,
    agent_label,
    closing,
    fallback,
    farewell,
    first_questions,
    opener,
)
from control_plane.building.agent_builder.local.standard_slots import slots_of
from pipelines.texts.extraction.layout import layout_of

_LONGEST_LEFT_OVER = 20_000


@dataclass(frozen=True)
class LocalDraft:
    config: AgentConfig
    warnings: tuple[str, ...]
    """Sentences that say what is missing or was not understood."""


def compose(prompt: str) -> LocalDraft:
    """Write an agent for any ``prompt``. Never raises."""
    layout = layout_of(prompt)
    reading = read(layout.text).with_layout(layout)
    language = reading.languages[0] if reading.languages else DEFAULT
    if layout.is_document and language.startswith("en"):
        agent = document_agent(prompt, reading)
        reading = replace(reading, left_over=tuple((agent.system_prompt or "").splitlines()))
        return LocalDraft(agent, tuple(_warnings(reading, language)))
    if language.startswith("en"):
        playbook = _playbook(reading)
    else:
        playbook = _foreign_playbook(prompt, reading, language)
    left_over = "\n".join(reading.left_over)[:_LONGEST_LEFT_OVER]
    config = AgentConfig(
        name=agent_label(reading),
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
        qualification_flow=(*first_questions(reading), *reading.questions),
        required_slots=tuple(slots_of(reading)),
        objection_handlers=reading.objections,
        scripts=reading.scripts,
        closing_cta=reading.lines.closing or closing(reading),
        fallback_cta=fallback(reading),
        escalation_rule=reading.escalation or None,
        end_call_message=reading.lines.farewell or farewell(reading),
    )


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
            required_slots=tuple(slots_of(reading)),
            closing_cta=reading.lines.closing or None,
            end_call_message=reading.lines.farewell or None,
        )
    if written_in(prompt) == language:
        slots = slots_in(prompt, wording)
    else:
        slots = tuple(translated(slot, wording) for slot in slots_of(reading))
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

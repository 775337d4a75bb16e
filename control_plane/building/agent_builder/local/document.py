"""An agent from a prompt that is laid out as a document, with headings, lists and a FAQ.

Prompts of other products look like this. Their sentences only mean something under their headings,
so they are read as the calls themselves would read them; what such a prompt leaves open (how to
greet, what a booking needs) follows from the agent's task.
"""

from __future__ import annotations

from dataclasses import replace

from contracts.agent_config import Advanced, AgentConfig
from control_plane.building.agent_builder.local.reading.prompt_reading import Reading
from control_plane.building.agent_builder.local.standard_lines import (
    NAMELESS,
    agent_label,
    closing,
    fallback,
    farewell,
    first_questions,
    opener,
)
from control_plane.building.agent_builder.local.standard_slots import completed, slots_of
from pipelines.texts.extraction.draft import ALWAYS
from pipelines.texts.extraction.prompt_extraction import extract_from_prompt


def document_agent(prompt: str, reading: Reading) -> AgentConfig:
    """The agent, with what only a language model can follow as its ``system_prompt``."""
    found = extract_from_prompt(prompt, "")
    persona, playbook = found.persona, found.playbook
    names = replace(
        reading.names,
        agent=persona.name or reading.names.agent,
        business=persona.company_name or reading.names.business,
    )
    reading = replace(reading, names=names)
    listed = playbook.required_slots
    has_details = bool(listed or playbook.qualification_flow)
    slots = completed(listed, reading) if has_details else tuple(slots_of(reading))
    rules = [script.content for script in playbook.scripts if script.when == ALWAYS]
    scripts = tuple(script for script in playbook.scripts if script.when != ALWAYS)
    # A dictated opener says what it is about in the owner's own words.
    first = () if playbook.opener else first_questions(reading)
    role = persona.role or (reading.tasks[0].role if reading.tasks else None)
    return AgentConfig(
        name=agent_label(reading),
        system_prompt="\n".join(rules) or None,
        persona=persona.model_copy(
            update={
                "name": names.agent or NAMELESS,
                "role": role,
                "company_name": names.business or None,
            }
        ),
        playbook=playbook.model_copy(
            update={
                "opener": playbook.opener or opener(reading),
                "qualification_flow": (*first, *playbook.qualification_flow),
                "required_slots": slots,
                "scripts": scripts,
                "closing_cta": playbook.closing_cta or closing(reading),
                "fallback_cta": playbook.fallback_cta or fallback(reading),
                "end_call_message": playbook.end_call_message or farewell(reading),
            }
        ),
        advanced=Advanced(
            off_limits_topics=reading.off_limits or None,
            prohibited_claims=reading.prohibited_claims or None,
        ),
    )

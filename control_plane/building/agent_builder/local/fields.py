"""Writes one field of an agent, from an instruction and the rest of the agent."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from contracts.agent_config import AgentConfig
from control_plane.building.agent_builder.config_fields import value_at
from control_plane.building.agent_builder.local.caller_questions import is_clause, question_of
from control_plane.building.agent_builder.local.composition import compose
from control_plane.building.agent_builder.local.editing import edit
from control_plane.building.agent_builder.local.reading.details import detail_named
from control_plane.building.agent_builder.local.reading.names import Names
from control_plane.building.agent_builder.local.reading.prompt_reading import read
from control_plane.building.agent_builder.local.reading.sentences import sentences
from control_plane.building.agent_builder.local.reading.tone import sentence_case, tone_in
from control_plane.building.agent_builder.local.standard_lines import NAMELESS, opener

_QUOTED = re.compile(r"\"([^\"]{2,2000})\"")
_SHORTER = re.compile(r"\b(?:short|shorter|brief|briefer|concise|crisp)\b", re.IGNORECASE)
_FORMAL = re.compile(r"\b(?:formal|professional|polite|politer|serious)\b", re.IGNORECASE)
_FRIENDLY = re.compile(
    r"\b(?:friendl\w+|warm\w*|casual|cheerful|relaxed|welcoming)\b", re.IGNORECASE
)
_REFINES = re.compile(
    r"^(?:please )?(?:make|write|keep|be|sound|more|less|shorter|longer|friendlier|warmer|rewrite|"
    r"rephrase|improve|mention|add|include|use|change|a bit|slightly|translate)\b",
    re.IGNORECASE,
)
_SHORT_VALUES = frozenset(
    {"name", "persona.name", "persona.role", "persona.companyName", "persona.companyWebsite"}
)


def draft_field(path: str, instruction: str, config: AgentConfig) -> Any | None:
    """The field's new value as JSON.

    ``None`` if the value cannot be written without a language model.
    """
    told = instruction.strip()
    if not told:
        return _from_the_rest(path, config)
    if quoted := _QUOTED.search(told):
        value: Any = quoted[1].strip()
        if _is_list(path, config):
            return _from_instruction(path, told, config)
        return value
    return _from_instruction(path, told, config)


def _is_list(path: str, config: AgentConfig) -> bool:
    return isinstance(value_at(path, config), list)


def _from_instruction(path: str, told: str, config: AgentConfig) -> Any | None:
    if path == "persona.toneOverride":
        return tone_in(f"be {told}") or sentence_case(told)[:300]
    if path in _SHORT_VALUES:
        bare = told.strip(' ."')
        return bare if len(bare.split()) <= 8 and not _REFINES.match(bare) else None
    if path == "playbook.opener":
        return _opener(told, config)
    if path == "playbook.requiredSlots":
        return _slots(told, config)
    if path == "playbook.qualificationFlow":
        return _questions(told, config)
    if path in ("persona.knowledgeBase", "persona.successCriteria"):
        if _REFINES.match(told) and not re.match(
            r"(?:please )?(?:add|include|mention)\b", told, re.I
        ):
            return None
        added = [_statement(text) for text in sentences(told)]
        return [*value_at(path, config), *(text for text in added if text)] or None
    before = value_at(path, config)
    after = value_at(path, edit(told, config).config)
    if after != before:
        return after
    written = value_at(path, compose(told).config)
    if path in ("playbook.objectionHandlers", "playbook.scripts"):
        return written or None
    if _REFINES.match(told):
        return None
    # An instruction that does not ask for a change of the text is the text itself.
    return sentence_case(told)


def _opener(told: str, config: AgentConfig) -> str | None:
    company = config.persona.company_name
    of_company = f" of {company}" if company else ""
    agent = config.persona.name if config.persona.name not in (None, NAMELESS) else ""
    who = (
        f"{agent}, the automated assistant{of_company}"
        if agent
        else (f"the automated assistant{of_company}")
    )
    if _SHORTER.search(told):
        return f"Hello, this is {who}. How can I help?"
    if _FORMAL.search(told):
        reached = f"You have reached {company}. " if company else ""
        return (
            f"Good day. {reached}This is {agent or 'the automated assistant'}. How may I help you?"
        )
    if _FRIENDLY.search(told):
        return f"Hi there, this is {who}. Nice to hear from you! What can I do for you?"
    if _REFINES.match(told):
        return None
    is_speech = bool(
        re.match(r"(?:hello|hi|hey|good|welcome|thank|this is)\b", told, re.IGNORECASE)
    )
    return sentence_case(told) if is_speech else _from_the_rest("playbook.opener", config)


def _slots(told: str, config: AgentConfig) -> list[dict[str, Any]] | None:
    changed = edit(told, config).config
    if changed.playbook.required_slots == config.playbook.required_slots:
        named = detail_named(re.sub(r"^(?:please )?(?:also )?(?:add|include)\b", "", told))
        known = {slot.name: slot for slot in config.playbook.required_slots}
        slots = tuple(
            (known | {slot.name: slot for slot in named if slot.name not in known}).values()
        )
    else:
        slots = changed.playbook.required_slots
    return [slot.model_dump(mode="json", by_alias=True) for slot in slots] or None


def _questions(told: str, config: AgentConfig) -> list[dict[str, Any]] | None:
    before: list[dict[str, Any]] = value_at("playbook.qualificationFlow", config)
    asked = [question.question for question in read(told).questions]
    bare = re.sub(
        r"^(?:please )?(?:also )?(?:add|ask)(?: a question)?(?: about| for)?\s+", "", told
    )
    if not asked and is_clause(bare):
        asked = [question_of(bare)]
    if not asked:
        asked = [s.description for s in detail_named(bare) if s.description.endswith("?")]
    added = [{"question": question, "listensFor": None} for question in asked]
    return [*before, *added] if added else None


def _statement(text: str) -> str:
    bare = re.sub(r"^(?:please )?(?:also )?(?:add|mention|include)(?: that)?\s+", "", text)
    bare = sentence_case(bare.strip())
    return bare if not bare or bare[-1] in ".?!" else f"{bare}."


def _from_the_rest(path: str, config: AgentConfig) -> Any | None:
    """Write the field from the agent's other fields."""
    persona = config.persona
    told = " ".join(
        text
        for text in (config.system_prompt, persona.role, persona.company_description, config.name)
        if text
    )
    reading = read(told)
    agent = persona.name if persona.name and persona.name != NAMELESS else ""
    reading = replace(reading, names=Names(agent, persona.company_name or reading.names.business))
    if path == "playbook.opener":
        return opener(reading)
    if path == "persona.successCriteria":
        noted = [slot.name.replace("_", " ") for slot in config.playbook.required_slots]
        return [f"Noted and confirmed: {', '.join(noted)}."] if noted else None
    written = value_at(path, compose(told).config)
    if path == "playbook.endCallMessage" and persona.company_name:
        return f"Thank you for calling {persona.company_name}. Goodbye."
    if path in ("persona.name", "name"):
        return agent or (config.name if config.name != "Agent" else None)
    return written or value_at(path, config) or None

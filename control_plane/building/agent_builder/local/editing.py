"""Changes an existing agent as an instruction in plain words asks.

``Rename it to Mia, make it more formal and also ask for an email address`` contains three changes.
What is not understood is reported. Everything that the instruction does not mention stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from contracts.agent_config import AgentConfig, Persona, Playbook, RequiredSlot
from control_plane.building.agent_builder.local.foreign_wording import translated, wording_for
from control_plane.building.agent_builder.local.reading.details import detail_named
from control_plane.building.agent_builder.local.reading.languages import languages_in
from control_plane.building.agent_builder.local.reading.prompt_reading import (
    SentenceReading,
    read_sentence,
)
from control_plane.building.agent_builder.local.reading.sentences import sentences
from control_plane.building.agent_builder.local.reading.tone import sentence_case, tone_in
from control_plane.building.agent_builder.local.removal import remove
from control_plane.building.agent_builder.local.standard_lines import NAMELESS

_VERBS = (
    r"change|make|add|rename|remove|also|set|use|call|switch|update|replace|stop|drop|delete|ask|"
    r"give|let|don't|do not|collect|include|speak|transfer|tell|be|sound|greet|end|close|if|when"
)
_CLAUSES = re.compile(
    rf"(?:,|;)? ?\b(?:and|then)\b (?:then |also |please )?(?=(?:{_VERBS})\b)"
    rf"|[;,] (?:then |please )?(?=(?:{_VERBS})\b)",
    re.IGNORECASE,
)
_SET = re.compile(
    r"\b(?:change|set|update|replace|make|use|rewrite|put|switch)\b (?:the |its |her |his |a )?"
    r"(?:agent(?:'s)? )?(?P<field>[a-z -]{3,24}?)(?: message| line| text)?"
    r"(?: to say| to be| to| as| with|:| =| should be| into|,)+ (?P<value>.+)$",
    re.IGNORECASE,
)
_IS_NOW = re.compile(
    r"^(?:the |its |our |my )?(?P<field>[a-z -]{3,24}?) (?:should (?:now )?be|is now|must be|:) "
    r"(?P<value>.+)$",
    re.IGNORECASE,
)
_RENAME = re.compile(
    r"\b(?:rename (?:it|her|him|the agent|the assistant|this)?(?: agent)?(?: to| as|:)?|"
    r"call (?:it|her|him|the agent)|name (?:it|her|him)|"
    r"(?:its|her|his|the agent's) name is(?: now)?)"
    r" \"?(?P<name>[^\".;,!?]{1,60})",
    re.IGNORECASE,
)
_ADDED_QUESTION = re.compile(
    r"\b(?:add|include|insert)\b (?:a |an |another |the )?(?:required |optional |new )?"
    r"(?:question|slot|field|detail)s?(?: (?:for|about|on|asking|to ask|whether|called|named|:))*"
    r"[: ]+(?P<what>.+)$",
    re.IGNORECASE,
)
_REQUIREDNESS = re.compile(
    r"\bmake (?:the |their )?(?P<what>.{2,60}?) (?P<how>optional|required|mandatory)\b",
    re.IGNORECASE,
)
_VOICE = re.compile(
    r"\b(?:voice)(?: to| is| should be|:)? \"?(?P<voice>[\w.-]{2,60})", re.IGNORECASE
)
_QUOTED = re.compile(r"\"([^\"]{1,1000})\"")
_FIELDS: dict[str, tuple[str, str]] = {
    "opener": ("playbook", "opener"),
    "opening": ("playbook", "opener"),
    "greeting": ("playbook", "opener"),
    "first sentence": ("playbook", "opener"),
    "first": ("playbook", "opener"),
    "welcome": ("playbook", "opener"),
    "closing": ("playbook", "closing_cta"),
    "call to action": ("playbook", "closing_cta"),
    "cta": ("playbook", "closing_cta"),
    "fallback": ("playbook", "fallback_cta"),
    "fallback cta": ("playbook", "fallback_cta"),
    "goodbye": ("playbook", "end_call_message"),
    "farewell": ("playbook", "end_call_message"),
    "sign-off": ("playbook", "end_call_message"),
    "last": ("playbook", "end_call_message"),
    "end": ("playbook", "end_call_message"),
    "end call": ("playbook", "end_call_message"),
    "escalation": ("playbook", "escalation_rule"),
    "escalation rule": ("playbook", "escalation_rule"),
    "tone": ("persona", "tone_override"),
    "style": ("persona", "tone_override"),
    "role": ("persona", "role"),
    "job": ("persona", "role"),
    "audience": ("persona", "audience_description"),
    "company": ("persona", "company_name"),
    "company name": ("persona", "company_name"),
    "business name": ("persona", "company_name"),
    "business": ("persona", "company_name"),
    "company description": ("persona", "company_description"),
    "website": ("persona", "company_website"),
    "name": ("persona", "name"),
}
_MOST_CLAUSES = 60
_LONGEST_CLAUSE = 1_000


@dataclass(frozen=True)
class Edited:
    config: AgentConfig
    voice: str
    """The voice that the instruction names; empty if it names none."""
    not_understood: tuple[str, ...]
    is_changed: bool


def edit(instruction: str, config: AgentConfig) -> Edited:
    """Apply the instruction to ``config``. Never raises."""
    voice, missed, changed = "", list[str](), config
    clauses = [part for text in sentences(instruction) for part in _clauses_of(text)]
    for clause in (text[:_LONGEST_CLAUSE] for text in clauses[:_MOST_CLAUSES]):
        if match := _VOICE.search(clause):
            voice = match["voice"]
            continue
        after = next(
            (result for change in _CHANGES if (result := change(clause, changed)) is not None), None
        )
        if after is None:
            missed.append(clause)
        else:
            changed = after
    missed += clauses[_MOST_CLAUSES:]
    return Edited(changed, voice, tuple(missed), bool(voice) or changed != config)


def _clauses_of(sentence: str) -> list[str]:
    """Split a sentence into clauses, unless it has quoted speech or a condition."""
    if '"' in sentence or re.search(r"\b(?:if|when(?:ever)?) ", sentence, re.IGNORECASE):
        return [sentence]
    return [part.strip(" ,.") for part in _CLAUSES.split(sentence) if part.strip(" ,.")]


def _renamed(clause: str, config: AgentConfig) -> AgentConfig | None:
    match = _RENAME.search(clause)
    return _with_name(match["name"].strip(), config) if match else None


def _set_field(clause: str, config: AgentConfig) -> AgentConfig | None:
    """``change the greeting to "Hi there"``."""
    for pattern in (_SET, _IS_NOW):
        match = pattern.search(clause)
        if match is None:
            continue
        place = _FIELDS.get(match["field"].strip().lower())
        quoted = _QUOTED.search(match["value"])
        value = (quoted[1] if quoted else match["value"]).strip(' "')
        if place is None or not value:
            continue
        if place == ("persona", "name"):
            return _with_name(value, config)
        if place == ("persona", "company_name"):
            return _with_company(value.rstrip("."), config)
        if place == ("persona", "tone_override"):
            value = tone_in(clause) or sentence_case(value)
        return _replaced(config, place[0], {place[1]: value})
    return None


def _with_name(name: str, config: AgentConfig) -> AgentConfig:
    name = name.rstrip(" .")
    before = config.spoken_name
    label = name if config.name in ("Agent", before) else config.name.replace(before, name)
    named = _replaced(config, "persona", {"name": name}).model_copy(update={"name": label[:500]})
    if before == NAMELESS:
        return _respoken(named, "this is the automated assistant", f"this is {name}")
    return _respoken(named, before, name)


def _with_company(company: str, config: AgentConfig) -> AgentConfig:
    before = config.persona.company_name
    named = _replaced(config, "persona", {"company_name": company})
    if not before:
        return named
    label = config.name.replace(before, company)[:500]
    return _respoken(named.model_copy(update={"name": label}), before, company)


def _respoken(config: AgentConfig, before: str, after: str) -> AgentConfig:
    """Replace a name in all texts of the playbook, where it is a whole word."""
    pattern = re.compile(rf"(?<!\w){re.escape(before)}(?!\w)")

    def respoken(value: Any) -> Any:
        if isinstance(value, str):
            return pattern.sub(lambda _: after, value)
        if isinstance(value, list):
            return [respoken(item) for item in value]
        if isinstance(value, dict):
            return {name: respoken(item) for name, item in value.items()}
        return value

    spoken = respoken(config.playbook.model_dump(mode="json", by_alias=True))
    return config.model_copy(update={"playbook": Playbook.model_validate(spoken)})


def _required(clause: str, config: AgentConfig) -> AgentConfig | None:
    match = _REQUIREDNESS.search(clause)
    if match is None:
        return None
    wanted = {slot.name for slot in detail_named(match["what"])}
    if not wanted & {slot.name for slot in config.playbook.required_slots}:
        return None
    is_required = match["how"].lower() != "optional"
    slots = tuple(
        slot.model_copy(update={"required": is_required}) if slot.name in wanted else slot
        for slot in config.playbook.required_slots
    )
    return _replaced(config, "playbook", {"required_slots": slots})


def _toned(clause: str, config: AgentConfig) -> AgentConfig | None:
    tone = tone_in(clause)
    if not tone or read_sentence(clause).details:
        return None
    return _replaced(config, "persona", {"tone_override": tone})


def _language(clause: str, config: AgentConfig) -> AgentConfig | None:
    named = languages_in(clause)
    says_so = re.search(
        r"\b(?:language|speak|talk|switch|answer|in|english|change)\b", clause, re.I
    )
    if not named or not says_so:
        return None
    wording = wording_for(named[0])
    slots = config.playbook.required_slots
    if wording is not None:
        slots = tuple(translated(slot, wording) for slot in slots)
    changed = _replaced(config, "playbook", {"required_slots": slots})
    return changed.model_copy(
        update={
            "language": named[0],
            "supported_languages": named if len(named) > 1 else (),
        }
    )


def _added_question(clause: str, config: AgentConfig) -> AgentConfig | None:
    match = _ADDED_QUESTION.search(clause)
    if match is None:
        return None
    quoted = _QUOTED.search(match["what"])
    if quoted:
        return _with_reading(read_sentence(f'ask "{quoted[1].rstrip("?.")}?"'), config)
    return _with_slots(detail_named(match["what"].strip(" .")), config)


def _read(clause: str, config: AgentConfig) -> AgentConfig | None:
    """Add what a prompt could say as well: details to ask for, facts, answers and rules."""
    asking = re.sub(r"^(?:please )?(?:also )?(?:include|add)\b", "ask for", clause, flags=re.I)
    reading = read_sentence(asking)
    return _with_reading(reading, config) if reading.says_something else None


def _with_reading(reading: SentenceReading, config: AgentConfig) -> AgentConfig | None:
    persona, playbook, advanced = config.persona, config.playbook, config.advanced
    lines = reading.lines
    changed = _replaced(
        config,
        "persona",
        {
            "tone_override": reading.tone or persona.tone_override,
            "company_website": reading.website or persona.company_website,
            "knowledge_base": (*persona.knowledge_base, *reading.facts),
        },
    )
    changed = _replaced(
        changed,
        "playbook",
        {
            "opener": lines.opener or playbook.opener,
            "closing_cta": lines.closing or playbook.closing_cta,
            "end_call_message": lines.farewell or playbook.end_call_message,
            "qualification_flow": (*playbook.qualification_flow, *reading.questions),
            "objection_handlers": (*playbook.objection_handlers, *reading.responses.objections),
            "scripts": (*playbook.scripts, *reading.responses.scripts),
            "escalation_rule": reading.escalation or playbook.escalation_rule,
        },
    )
    topics = [t for t in (advanced.off_limits_topics, reading.off_limits) if t]
    claims = [c for c in (advanced.prohibited_claims, reading.prohibited_claims) if c]
    limits = advanced.model_copy(
        update={
            "off_limits_topics": ", ".join(topics) or None,
            "prohibited_claims": ", ".join(claims) or None,
        }
    )
    changed = changed.model_copy(update={"advanced": limits})
    return _with_slots(reading.details, changed) or changed


def _with_slots(slots: tuple[RequiredSlot, ...], config: AgentConfig) -> AgentConfig | None:
    if not slots:
        return None
    wording = wording_for(config.language)
    known = {slot.name: slot for slot in config.playbook.required_slots}
    for slot in slots:
        known.setdefault(slot.name, translated(slot, wording) if wording else slot)
    return _replaced(config, "playbook", {"required_slots": tuple(known.values())})


def _replaced(config: AgentConfig, part: str, changes: dict[str, Any]) -> AgentConfig:
    before: Persona | Playbook = getattr(config, part)
    return config.model_copy(update={part: before.model_copy(update=changes)})


_CHANGES: tuple[Callable[[str, AgentConfig], AgentConfig | None], ...] = (
    _renamed,
    remove,
    _required,
    _set_field,
    _added_question,
    _language,
    _toned,
    _read,
)
"""Each clause is applied by the first function that understands it."""

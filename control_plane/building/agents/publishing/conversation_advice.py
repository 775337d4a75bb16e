"""Warnings about gaps and contradictions in what an agent says. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator

from contracts.agent_config import AgentConfig, Persona, Playbook
from control_plane.building.agents.publishing.finding import Finding
from pipelines.texts.agent_texts import texts_of
from pipelines.texts.claims.prohibited import ProhibitedClaims
from pipelines.texts.extraction.draft import ALWAYS
from pipelines.texts.prompt import described, first_sentence

_SPOKEN = re.compile(
    r"^playbook\.(?:opener|closingCTA|fallbackCTA|endCallMessage|scripts\[\d+\]\.content"
    r"|objectionHandlers\[\d+\]\.response|qualificationFlow\[\d+\]\.question)$"
    r"|^persona\.(?:companyDescription|knowledgeBase\[\d+\])$"
)


def conversation_advice(config: AgentConfig) -> Iterator[Finding]:
    whole = described(config)
    for check in (_substance, _opener, _goodbye, _slots, _answers, _claims, _raw_mode):
        yield from check(whole)


def _is_raw(config: AgentConfig) -> bool:
    return config.advanced.prompt_mode == "raw"


def _substance(config: AgentConfig) -> Iterator[Finding]:
    has_content = config.persona != Persona() or config.playbook != Playbook()
    if not (_is_raw(config) or has_content or (config.system_prompt or "").strip()):
        yield Finding(
            code="nothing_to_say",
            field="playbook",
            message="The agent does not know whom it works for or what to ask: it can only greet.",
            fix="Fill in persona and playbook, or write a system_prompt.",
        )


def _opener(config: AgentConfig) -> Iterator[Finding]:
    if not (config.playbook.opener or "").strip():
        yield Finding(
            code="opener_missing",
            field="playbook.opener",
            message=f'There is no opener, so the agent says "{first_sentence(config, {})}"',
            fix="Write the first sentence of a call.",
        )


def _goodbye(config: AgentConfig) -> Iterator[Finding]:
    if not (config.playbook.end_call_message or "").strip():
        yield Finding(
            code="end_message_missing",
            field="playbook.endCallMessage",
            message="There is no goodbye, so the agent uses a general one.",
            fix="Write the last sentence of a call.",
        )


def _slots(config: AgentConfig) -> Iterator[Finding]:
    prompt = _words(config.system_prompt or "")
    seen: set[str] = set()
    for index, slot in enumerate(config.playbook.required_slots):
        field = f"playbook.requiredSlots[{index}].name"
        if not slot.name.strip():
            yield Finding(
                code="slot_without_name",
                field=field,
                message="The slot has no name, so the agent cannot ask for it.",
                fix="Give it a name such as phone_number.",
            )
        elif slot.name in seen:
            yield Finding(
                code="slot_twice",
                field=field,
                message=f"An earlier slot already asks for {slot.name}; only one value is kept.",
                fix="Remove the slot, or give it another name.",
            )
        elif _is_raw(config) and slot.required and not _words(slot.name) <= prompt:
            yield Finding(
                code="slot_never_asked",
                field=field,
                message=f"{slot.name} is required, but the raw prompt never asks for it.",
                fix="Ask for it in system_prompt, or set advanced.prompt_mode to builder.",
            )
        seen.add(slot.name)


def _answers(config: AgentConfig) -> Iterator[Finding]:
    """Scripts and objections that are never used, or say nothing."""
    seen: dict[str, str] = {}
    playbook = config.playbook
    entries = [
        (f"playbook.scripts[{i}].when", script.when or script.title, script.content)
        for i, script in enumerate(playbook.scripts)
        if script.when != ALWAYS
    ] + [
        (f"playbook.objectionHandlers[{i}].trigger", handler.trigger, handler.response)
        for i, handler in enumerate(playbook.objection_handlers)
    ]
    for field, condition, content in entries:
        if not content.strip():
            yield Finding(
                code="nothing_to_answer",
                field=field,
                message="It has a condition, but no words to answer with.",
                fix="Write what the agent says then, or remove it.",
            )
        key = " ".join(sorted(_words(condition)))
        if not key:
            yield Finding(
                code="never_set_off",
                field=field,
                message="It does not say when to use it, so it is never used.",
                fix="Write what a caller says or asks then.",
            )
        elif key in seen:
            yield Finding(
                code="never_set_off",
                field=field,
                message=f"{seen[key]} has the same condition, so this one is never used.",
                fix="Merge the two, or give them different conditions.",
            )
        seen.setdefault(key, field)


def _claims(config: AgentConfig) -> Iterator[Finding]:
    prohibited = ProhibitedClaims(config.advanced.prohibited_claims)
    for field, text in texts_of(config):
        if not _SPOKEN.match(field):
            continue
        for claim in prohibited.said_in(text):
            yield Finding(
                code="prohibited_claim_said",
                field=field,
                message=f'The text says "{claim}", which advanced.prohibitedClaims forbids.',
                fix="Change the wording, or remove the claim from advanced.prohibitedClaims.",
            )


def _raw_mode(config: AgentConfig) -> Iterator[Finding]:
    spared = {"opener": None, "end_call_message": None}
    rest = config.playbook.model_copy(update=spared)
    if _is_raw(config) and (rest != Playbook() or config.persona != Persona()):
        yield Finding(
            code="ignored_in_raw_mode",
            field="advanced.prompt_mode",
            message="In raw mode the language model gets only system_prompt, off-limits topics and "
            "prohibited claims. Of the playbook, only opener and endCallMessage are used.",
            fix="Put the rest into system_prompt, or set advanced.prompt_mode to builder.",
        )


def _words(text: str) -> frozenset[str]:
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", text)
    return frozenset(re.findall(r"[^\W_]+", spaced.lower()))

"""The shape of an agent that a language model writes, and its conversion to a configuration.

The model only fills in texts. It cannot choose a voice, provider, address, tool or timing. Every
text is cleaned before it becomes part of a configuration.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from contracts.agent_config import AgentConfig, RequiredSlot
from control_plane.building.agent_builder.clean_text import clean_text
from pipelines.texts.model_commands import without_commands

_STRICT = ConfigDict(extra="forbid", strict=True)
Line = Annotated[str, Field(max_length=500)]
Paragraph = Annotated[str, Field(max_length=2_000)]
Items = Field(max_length=30)


class DraftedQuestion(BaseModel):
    model_config = _STRICT
    question: Line
    listensFor: Line


class DraftedSlot(BaseModel):
    model_config = _STRICT
    name: Line
    description: Line
    required: bool


class DraftedObjection(BaseModel):
    model_config = _STRICT
    trigger: Line
    response: Paragraph


class DraftedScript(BaseModel):
    model_config = _STRICT
    title: Line
    when: Line
    content: Paragraph


class DraftedPersona(BaseModel):
    model_config = _STRICT
    name: Line
    role: Line
    audienceDescription: Line
    toneOverride: Line
    companyName: Line
    companyDescription: Paragraph
    knowledgeBase: Annotated[list[Paragraph], Items]
    successCriteria: Annotated[list[Line], Items]


class DraftedPlaybook(BaseModel):
    model_config = _STRICT
    opener: Line
    qualificationFlow: Annotated[list[DraftedQuestion], Items]
    requiredSlots: Annotated[list[DraftedSlot], Items]
    objectionHandlers: Annotated[list[DraftedObjection], Items]
    scripts: Annotated[list[DraftedScript], Items]
    closingCTA: Line
    fallbackCTA: Line
    escalationRule: Paragraph
    endCallMessage: Line


class DraftedAgent(BaseModel):
    """Empty texts and lists stand for nothing."""

    model_config = _STRICT
    name: Annotated[str, Field(max_length=100)]
    language: Annotated[str, Field(max_length=35)]
    offLimitsTopics: Line
    persona: DraftedPersona
    playbook: DraftedPlaybook


class DraftedAnswer(BaseModel):
    """An agent, or questions about it."""

    model_config = _STRICT
    clarifying_questions: Annotated[list[Line], Field(max_length=5)]
    """Empty if ``agent`` is there."""
    agent: DraftedAgent | None


def configuration_of(
    drafted: DraftedAgent, base: AgentConfig, variables: Collection[str]
) -> AgentConfig:
    """Replace the texts of ``base`` with those that the model wrote.

    Args:
        variables: the variables that the owner uses. Others are removed from the texts.

    Raises:
        pydantic.ValidationError: the result is not a valid configuration.
    """

    def cleaned(text: str) -> str:
        return without_commands(clean_text(text, variables=variables))

    def kept(items: list[Any], text_of: Callable[[Any], str]) -> list[dict[str, Any]]:
        """The cleaned items, without those whose text is empty."""
        dumped = (_cleaned_members(item.model_dump(), cleaned) for item in items if text_of(item))
        return [item for item in dumped if item]

    persona = drafted.persona
    playbook = drafted.playbook
    config = base.model_dump(mode="json", by_alias=True, exclude_defaults=True)
    config["name"] = cleaned(drafted.name)[:100] or base.name
    config["persona"] = config.get("persona", {}) | {
        "name": cleaned(persona.name) or None,
        "role": cleaned(persona.role) or None,
        "audienceDescription": cleaned(persona.audienceDescription) or None,
        "toneOverride": cleaned(persona.toneOverride) or None,
        "companyName": cleaned(persona.companyName) or None,
        "companyDescription": cleaned(persona.companyDescription) or None,
        "knowledgeBase": [text for item in persona.knowledgeBase if (text := cleaned(item))],
        "successCriteria": [text for item in persona.successCriteria if (text := cleaned(item))],
    }
    config["playbook"] = config.get("playbook", {}) | {
        "opener": cleaned(playbook.opener) or None,
        "qualificationFlow": kept(playbook.qualificationFlow, lambda q: cleaned(q.question)),
        "requiredSlots": _slots(playbook.requiredSlots, cleaned, base.playbook.required_slots),
        "objectionHandlers": kept(
            playbook.objectionHandlers, lambda o: cleaned(o.trigger) and cleaned(o.response)
        ),
        "scripts": kept(playbook.scripts, lambda s: cleaned(s.title) and cleaned(s.content)),
        "closingCTA": cleaned(playbook.closingCTA) or None,
        "fallbackCTA": cleaned(playbook.fallbackCTA) or None,
        "escalationRule": cleaned(playbook.escalationRule) or None,
        "endCallMessage": cleaned(playbook.endCallMessage) or None,
    }
    if topics := cleaned(drafted.offLimitsTopics):
        config["advanced"] = config.get("advanced", {}) | {"offLimitsTopics": topics}
    return AgentConfig.model_validate(config)


def _cleaned_members(item: dict[str, Any], cleaned: Callable[[str], str]) -> dict[str, Any]:
    return {name: cleaned(value) for name, value in item.items()}


def _slots(
    slots: list[DraftedSlot], cleaned: Callable[[str], str], before: Iterable[RequiredSlot]
) -> list[dict[str, Any]]:
    """The slots with names of letters, digits and underscores, without duplicates."""
    by_name: dict[str, dict[str, Any]] = {}
    for slot in slots:
        name = _slot_name(cleaned(slot.name))
        if name:
            by_name.setdefault(
                name,
                {
                    "name": name,
                    "description": cleaned(slot.description),
                    "required": slot.required,
                },
            )
    return with_secrets(list(by_name.values()), before)


def with_secrets(
    slots: list[dict[str, Any]], before: Iterable[RequiredSlot]
) -> list[dict[str, Any]]:
    """``slots``, of which those that were secret before stay so: the model cannot say it."""
    secrets = {_slot_name(slot.name) for slot in before if slot.sensitive}
    return [
        slot | {"sensitive": True} if _slot_name(slot["name"]) in secrets else slot
        for slot in slots
    ]


def _slot_name(text: str) -> str:
    return re.sub(r"[^\w]+", "_", text).strip("_")[:60]

"""An agent's configuration in the form that the dialogue policy works with."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from contracts.agent_config import AgentConfig
from contracts.tool_bindings import Transfer
from pipelines.playbook.knowledge import sentences
from pipelines.playbook.opening_hours import NOT_KNOWN, OpeningHours, opening_hours
from pipelines.playbook.slot_tools import SlotTool, slot_tools
from pipelines.playbook.triggers import Response, Trigger, trigger
from pipelines.playbook.values.slot_types import Field, fields, free_field, qualification_field
from pipelines.texts.agent_texts import fill_agent
from pipelines.texts.language import primary_language
from pipelines.texts.phrases import not_done
from pipelines.texts.prompt import described, first_sentence

_QUOTED = re.compile(r"[\"“]([^\"”]{8,})[\"”]")
_CONDITION = re.compile(
    r"\b(?:when|if|whenever|in case(?: of)?)\b(?P<condition>[^.]*)", re.IGNORECASE
)
_EVENING = re.compile(
    r"\b(?:restaurant|ristorante|trattoria|pizzeria|bistro|steakhouse|brasserie|tavern|bar|pub|grill|"
    r"cinema|theat(?:er|re)|night ?club|diner)\b",
    re.IGNORECASE,
)
_CALLS = re.compile(
    r"\b(?:i'm|i am|this is \w+) calling\b|\bam i speaking (?:with|to)\b|\bis this [^.?!]{1,60}\?$"
    r"|\bthis is a reminder\b|\bdo you have a (?:minute|moment)\b|\bis this a good (?:time|"
    r"moment)\b",
    re.IGNORECASE,
)
_CONNECTS = re.compile(
    r"(?<!can't )(?<!cannot )(?<!not )\b(?:transferr?(?:ing)?|connect(?:ing)?|put(?:ting)?|"
    r"patch(?:ing)?|"
    r"forward(?:ing)?|hold)\b.*\b(?:you|on|line|through|call|moment)\b",
    re.IGNORECASE,
)
"""What the playbook engine says only if it has a tool that does it."""


@dataclass(frozen=True, slots=True)
class DialoguePlan:
    agent_name: str
    role: str
    company: str
    opener: str
    fields: tuple[Field, ...]
    """In the order of asking: first the qualification questions, then the slots."""
    objections: tuple[Response, ...]
    scripts: tuple[Response, ...]
    knowledge: tuple[str, ...]
    off_limits: Trigger
    closing: str
    fallback: str
    escalation: Trigger
    """When to hand over to a person, besides "let me talk to a person"."""
    transfer: Transfer | None
    """Reaches a person; ``None``: nobody can be reached."""
    escalation_line: str
    """What the agent says then: the words in quotation marks, or empty."""
    end_message: str
    tools: tuple[SlotTool, ...]
    """Called when the slots are known, before the closing."""
    failure: str
    """Said instead of the closing when a tool has failed."""
    is_english: bool
    hours: OpeningHours = NOT_KNOWN
    is_evening_business: bool = False
    """People come in the evening: "at eight" is not in the morning."""
    is_outbound: bool = False
    """The agent calls people."""
    found: list[str] = field(default_factory=list)
    """Sentences of knowledge sources that were looked up in the call so far. It grows with it."""

    def field(self, key: str) -> Field:
        return next(field for field in self.fields if field.key == key)

    @property
    def slots(self) -> tuple[Field, ...]:
        return tuple(field for field in self.fields if field.slot)


def dialogue_plan(
    agent: AgentConfig, variables: Mapping[str, object], locale: str | None = None
) -> DialoguePlan:
    """The plan of ``agent``, with ``variables`` filled into every text that may be spoken."""

    def spoken(text: str | None) -> str:
        return (text or "").strip()

    opener = first_sentence(agent, variables, locale)
    agent = fill_agent(described(agent), variables)
    persona, playbook = agent.persona, agent.playbook
    language = locale or agent.language
    is_english = primary_language(language) == "en"
    questions = (
        question.model_copy(update={"question": spoken(question.question)})
        for question in playbook.qualification_flow
    )
    asked = tuple(
        qualification_field(i, question, is_english=is_english)
        for i, question in enumerate(questions)
        if question.question
    )
    slots = tuple(
        field
        for slot in playbook.required_slots
        for field in (fields(slot) if is_english else (free_field(slot),))
    )
    known, company = sentences(persona), spoken(persona.company_name)
    rule = spoken(agent.playbook.escalation_rule)
    condition = _CONDITION.search(_QUOTED.sub("", rule))
    quoted = _QUOTED.search(rule)
    connects = quoted is not None and _CONNECTS.search(quoted[1]) is not None
    transfer = next(
        (tool for tool in agent.tools if isinstance(tool, Transfer) and tool.is_to_a_phone), None
    )
    return DialoguePlan(
        agent_name=agent.spoken_name,
        role=spoken(persona.role),
        company=company,
        opener=opener,
        fields=(*asked, *slots),
        objections=tuple(
            Response(trigger(handler.trigger), spoken(handler.response))
            for handler in playbook.objection_handlers
            if spoken(handler.response)
        ),
        scripts=tuple(
            Response(trigger(script.when or script.title), spoken(script.content))
            for script in playbook.scripts
            if spoken(script.content)
        ),
        knowledge=known,
        off_limits=trigger(agent.advanced.off_limits_topics or ""),
        closing=spoken(playbook.closing_cta),
        fallback=spoken(playbook.fallback_cta),
        escalation=trigger(condition["condition"] if condition else ""),
        transfer=transfer,
        escalation_line=quoted[1] if quoted and (transfer or not connects) else "",
        end_message=spoken(playbook.end_call_message),
        tools=slot_tools(agent),
        failure=spoken(playbook.fallback_cta) or not_done(language),
        is_english=is_english,
        hours=opening_hours((*known, *(script.content for script in playbook.scripts))),
        is_evening_business=bool(
            _EVENING.search(" ".join((agent.name, company, opener, persona.role or "", *known)))
        ),
        is_outbound=any(_CALLS.search(text) for text in (opener, *(f.question for f in asked[:1]))),
    )

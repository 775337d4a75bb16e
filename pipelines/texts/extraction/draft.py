"""The persona and playbook while they are being collected."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from contracts.agent_config import (
    MAX_ITEMS,
    MAX_PASSAGES,
    ObjectionHandler,
    Persona,
    Playbook,
    QualificationQuestion,
    RequiredSlot,
    Script,
)
from pipelines.texts.extraction.faq import Answer

GUIDELINES = "Guidelines"
ALWAYS = "you say anything"
"""The condition of a script that is an instruction. The playbook engine speaks a script when the
caller says the significant words of its condition, and this condition has none."""
_MAX_SCRIPT_CHARACTERS = 20_000
_ROOM = 10
"""For what is joined into texts of that size: a prompt has at most 100,000 characters."""
_WORD = re.compile(r"[^\W_]+")


@dataclass
class Draft:
    name: str = ""
    role: str = ""
    company: str = ""
    website: str = ""
    tone: list[str] = field(default_factory=list)
    audience: list[str] = field(default_factory=list)
    about_company: list[str] = field(default_factory=list)
    knowledge: list[str] = field(default_factory=list)
    criteria: list[str] = field(default_factory=list)
    opener: str = ""
    questions: list[str] = field(default_factory=list)
    slots: dict[str, RequiredSlot] = field(default_factory=dict)
    objections: list[ObjectionHandler] = field(default_factory=list)
    scripts: list[Script] = field(default_factory=list)
    closing: str = ""
    fallback: str = ""
    escalation: list[str] = field(default_factory=list)
    farewell: str = ""
    guidelines: list[str] = field(default_factory=list)

    def ask(self, question: str) -> None:
        if question not in self.questions:
            self.questions.append(question)

    def collect(self, slots: Iterable[RequiredSlot]) -> None:
        for slot in slots:
            self.slots.setdefault(slot.name, slot)

    def answer(self, pairs: Iterable[Answer]) -> None:
        known = {script.when for script in self.scripts}
        for pair in pairs:
            if pair.asked not in known:
                title = pair.asked.rstrip("?")[:80]
                self.scripts.append(Script(title=title, when=pair.asked, content=pair.said))

    def drop_unanswered(self) -> None:
        self.scripts = [script for script in self.scripts if script.content]

    def texts(self) -> Iterable[str]:
        """Everything collected so far, except the guidelines."""
        yield from (self.name, self.role, self.company, self.website, self.opener)
        yield from (self.closing, self.fallback, self.farewell)
        for lines in (self.tone, self.audience, self.about_company, self.knowledge, self.criteria):
            yield from lines
        yield from (*self.questions, *self.escalation)
        for slot in self.slots.values():
            yield f"{slot.name.replace('_', ' ')} {slot.description}"
        for handler in self.objections:
            yield f"{handler.trigger} {handler.response}"
        for script in self.scripts:
            yield f"{script.title} {script.when} {script.content}"

    def persona(self) -> Persona:
        return Persona(
            name=self.name or None,
            role=self.role or None,
            audience_description=" ".join(self.audience) or None,
            tone_override=" ".join(self.tone) or None,
            company_name=self.company or None,
            company_website=self.website or None,
            company_description=" ".join(self.about_company) or None,
            knowledge_base=_fitted(self.knowledge, MAX_PASSAGES),
            success_criteria=_fitted(self.criteria, MAX_ITEMS),
        )

    def playbook(self) -> Playbook:
        scripts = self.scripts[: MAX_ITEMS - _ROOM]
        rules = (
            Script(title=GUIDELINES, when=ALWAYS, content=text)
            for text in _packed((*self.guidelines, *self._left_over()))
        )
        return Playbook(
            opener=self.opener or None,
            qualification_flow=tuple(
                QualificationQuestion(question=question) for question in self.questions[:MAX_ITEMS]
            ),
            required_slots=tuple(self.slots.values())[:MAX_ITEMS],
            objection_handlers=tuple(self.objections[:MAX_ITEMS]),
            scripts=(*scripts, *rules)[:MAX_ITEMS],
            closing_cta=self.closing or None,
            fallback_cta=self.fallback or None,
            escalation_rule=" ".join(self.escalation) or None,
            end_call_message=self.farewell or None,
        )

    def _left_over(self) -> Iterable[str]:
        """What the lists of a playbook have no room for, as guidelines."""
        yield from (f"Ask: {question}" for question in self.questions[MAX_ITEMS:])
        for slot in tuple(self.slots.values())[MAX_ITEMS:]:
            yield f"Find out: {slot.name.replace('_', ' ')}. {slot.description}".strip()
        for handler in self.objections[MAX_ITEMS:]:
            yield f"If the caller says “{handler.trigger}”: {handler.response}"
        for script in self.scripts[MAX_ITEMS - _ROOM :]:
            yield f"{script.title} (when {script.when}): {script.content}"


def words_of(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.lower()))


def _fitted(texts: Sequence[str], most: int) -> tuple[str, ...]:
    """``texts`` without repetition; the last ones are joined if there are too many."""
    unique = tuple(dict.fromkeys(texts))
    if len(unique) <= most:
        return unique
    kept = most - _ROOM
    return (*unique[:kept], *_packed(unique[kept:]))[:most]


def _packed(lines: Iterable[str]) -> Iterable[str]:
    """``lines`` joined into as few texts as the maximum size of a script allows."""
    pack: list[str] = []
    size = 0
    for line in lines:
        if pack and size + len(line) > _MAX_SCRIPT_CHARACTERS:
            yield "\n".join(pack)
            pack, size = [], 0
        pack.append(line)
        size += len(line) + 1
    if pack:
        yield "\n".join(pack)

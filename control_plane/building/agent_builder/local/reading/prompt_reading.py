"""Everything that a prompt says about an agent."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from contracts.agent_config import ObjectionHandler, QualificationQuestion, RequiredSlot, Script
from control_plane.building.agent_builder.local.reading.details import details_in
from control_plane.building.agent_builder.local.reading.facts import description_in, facts_in
from control_plane.building.agent_builder.local.reading.guardrails import (
    escalation_in,
    off_limits_in,
    prohibited_claims_in,
)
from control_plane.building.agent_builder.local.reading.languages import languages_in, says_language
from control_plane.building.agent_builder.local.reading.names import Names, names_in
from control_plane.building.agent_builder.local.reading.responses import (
    NO_RESPONSES,
    Responses,
    responses_in,
)
from control_plane.building.agent_builder.local.reading.sentences import sentences
from control_plane.building.agent_builder.local.reading.spoken_lines import (
    NO_LINES,
    SpokenLines,
    spoken_lines_in,
)
from control_plane.building.agent_builder.local.reading.tasks import Task, tasks_in
from control_plane.building.agent_builder.local.reading.tone import sentence_case, tone_in
from pipelines.texts.extraction.layout import Layout
from pipelines.texts.extraction.outbound import OutboundLines, is_outbound, outbound_lines

_MOST_SENTENCES = 300
_LONGEST_SENTENCE = 1_000
"""Characters."""
_WEBSITE = re.compile(r"\bhttps?://[^\s\"'<>()]+[^\s\"'<>().,;:!?]", re.IGNORECASE)
_QUOTED_QUESTION = re.compile(r"\"([^\"]{6,300}\?)\"")
_MOST_ITEMS = 40
_INTRODUCTORY = 2
"""How many sentences at the beginning may only say what the agent is for."""
_LONGEST_INTRODUCTION_WORDS = 25


@dataclass(frozen=True)
class SentenceReading:
    """What one sentence says. A field is empty if the sentence says nothing about it."""

    details: tuple[RequiredSlot, ...] = ()
    questions: tuple[QualificationQuestion, ...] = ()
    facts: tuple[str, ...] = ()
    responses: Responses = NO_RESPONSES
    lines: SpokenLines = NO_LINES
    tone: str = ""
    escalation: str = ""
    off_limits: str = ""
    prohibited_claims: str = ""
    website: str = ""

    @property
    def says_something(self) -> bool:
        return self != SentenceReading()


@dataclass(frozen=True)
class Reading:
    names: Names
    languages: tuple[str, ...]
    tasks: tuple[Task, ...]
    is_outbound: bool
    outbound: OutboundLines
    """What an agent that calls people says first."""
    details: tuple[RequiredSlot, ...]
    questions: tuple[QualificationQuestion, ...]
    tone: str
    facts: tuple[str, ...]
    description: str
    objections: tuple[ObjectionHandler, ...]
    scripts: tuple[Script, ...]
    escalation: str
    off_limits: str
    prohibited_claims: str
    lines: SpokenLines
    website: str
    left_over: tuple[str, ...]
    """Sentences that no other field was read from."""

    def with_layout(self, layout: Layout) -> Reading:
        """The same, with the answers and facts that the prompt's layout shows."""
        scripts = tuple(
            Script(title=pair.asked.rstrip("?")[:80], when=pair.asked, content=pair.said)
            for pair in layout.answers
        )
        return replace(
            self,
            scripts=(*self.scripts, *scripts)[:_MOST_ITEMS],
            facts=tuple(dict.fromkeys((*self.facts, *layout.facts)))[:_MOST_ITEMS],
        )


def read(prompt: str) -> Reading:
    """Read any prompt. Never raises."""
    found = tuple(text[:_LONGEST_SENTENCE] for text in sentences(prompt)[:_MOST_SENTENCES])
    text = " ".join(found)
    readings = [read_sentence(sentence) for sentence in found]
    names = names_in(found)
    tasks = tasks_in(text)
    description = next((d for s in found if (d := description_in(s, names.business))), "")
    return Reading(
        names=names,
        languages=languages_in(text),
        tasks=tasks,
        is_outbound=is_outbound(text) or any(task.is_outbound for task in tasks),
        outbound=outbound_lines(text),
        details=_each_once([d for r in readings for d in r.details]),
        questions=tuple(q for r in readings for q in r.questions)[:_MOST_ITEMS],
        tone=_joined_tones([r.tone for r in readings if r.tone]),
        facts=tuple(dict.fromkeys(f for r in readings for f in r.facts if f != description))[
            :_MOST_ITEMS
        ],
        description=description,
        objections=tuple(o for r in readings for o in r.responses.objections)[:_MOST_ITEMS],
        scripts=tuple(s for r in readings for s in r.responses.scripts)[:_MOST_ITEMS],
        escalation=" ".join(r.escalation for r in readings if r.escalation),
        off_limits=", ".join(r.off_limits for r in readings if r.off_limits),
        prohibited_claims=", ".join(r.prohibited_claims for r in readings if r.prohibited_claims),
        lines=SpokenLines(
            next((r.lines.opener for r in readings if r.lines.opener), ""),
            next((r.lines.closing for r in readings if r.lines.closing), ""),
            next((r.lines.farewell for r in readings if r.lines.farewell), ""),
        ),
        website=next((r.website for r in readings if r.website), ""),
        left_over=tuple(
            sentence
            for index, (sentence, reading) in enumerate(zip(found, readings, strict=True))
            if not reading.says_something
            and sentence.rstrip(".") != description.rstrip(".")
            and not (index < _INTRODUCTORY and _is_introduction(sentence, names))
            and not says_language(sentence)
        ),
    )


def read_sentence(sentence: str) -> SentenceReading:
    lines = spoken_lines_in(sentence)
    off_limits = off_limits_in(sentence)
    claims = prohibited_claims_in(sentence)
    escalation = escalation_in(sentence)
    responses = responses_in(sentence)
    is_answered = bool(responses.objections or responses.scripts)
    is_dictated = lines != NO_LINES
    questions = () if is_answered or is_dictated else _questions(sentence)
    website = _WEBSITE.search(sentence)
    plain = re.sub(r"\"[^\"]*\"", " ", sentence) if questions or is_dictated else sentence
    return SentenceReading(
        details=() if is_answered or off_limits or claims else details_in(plain),
        questions=questions,
        facts=() if is_answered or off_limits or claims else facts_in(sentence),
        responses=responses,
        lines=lines,
        tone=tone_in(sentence),
        escalation=escalation,
        off_limits=off_limits,
        prohibited_claims=claims,
        website=website[0] if website else "",
    )


def _questions(sentence: str) -> tuple[QualificationQuestion, ...]:
    """Questions in the owner's own words, to be asked word for word."""
    quoted = _QUOTED_QUESTION.findall(sentence)
    if not quoted and sentence.endswith("?") and len(sentence) <= 300:
        quoted = [
            re.sub(
                r"^(?:asks?|questions?|then ask|and ask)[: ]+", "", sentence, flags=re.IGNORECASE
            )
        ]
        if re.match(
            r"(?:can|could|would|will) you (?:please )?(?:build|create|make|write|design)|"
            r"how do i\b",
            quoted[0],
            re.IGNORECASE,
        ):
            return ()
    return tuple(QualificationQuestion(question=sentence_case(text.strip())) for text in quoted)


def _each_once(details: list[RequiredSlot]) -> tuple[RequiredSlot, ...]:
    by_name: dict[str, RequiredSlot] = {}
    for detail in details:
        by_name.setdefault(detail.name, detail)
    return tuple(by_name.values())[:_MOST_ITEMS]


def _joined_tones(tones: list[str]) -> str:
    return ". ".join(dict.fromkeys(tones))


def _is_introduction(sentence: str, names: Names) -> bool:
    """Whether the sentence only introduces the agent. Its names and tasks have been read."""
    if len(sentence.split()) > _LONGEST_INTRODUCTION_WORDS:
        return False
    named = [name for name in (names.agent, names.business) if name]
    return any(name.lower() in sentence.lower() for name in named) or bool(tasks_in(sentence))

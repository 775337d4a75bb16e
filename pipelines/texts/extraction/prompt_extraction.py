"""Persona and playbook from an agent's free-text prompt. Pure and deterministic.

The first rule that matches a sentence takes it. A sentence that no rule matches, or whose words did
not all end up in a field, is kept word for word in a script called "Guidelines". So no instruction
is lost.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

from contracts.agent_config import Persona, Playbook
from pipelines.texts.extraction.answers import read_answer, read_handover
from pipelines.texts.extraction.draft import Draft, words_of
from pipelines.texts.extraction.identity import read_by_topic, read_fact, read_identity
from pipelines.texts.extraction.layout import layout_of
from pipelines.texts.extraction.outbound import is_outbound, outbound_lines
from pipelines.texts.extraction.questions import read_question
from pipelines.texts.extraction.quotations import read_quotation
from pipelines.texts.extraction.second_person import CALLER
from pipelines.texts.extraction.statements import (
    MAX_SENTENCE_CHARACTERS,
    QUOTED,
    Statement,
    statements,
)
from pipelines.texts.extraction.stop_words import HEADING_WORDS, STRUCTURE
from pipelines.texts.extraction.topics import Topic, topic_of

_MAX_SENTENCES = 1_000
"""The rest of a longer prompt is kept as it is: no rule reads it."""
_KEY_VALUE = re.compile(r"^(?P<key>[A-Za-z][\w '/-]{1,40}):\s+(?P<value>\S.*)$")
_CLAUSES = re.compile(
    r",\s+(?:and |then |and then )?(?=(?:ask|collect|gather|be|say|greet|end|start|get|take|confirm"
    r"|offer|thank|close|find out|transfer|book|tell|repeat)\b)"
    r"|\s(?:and then|then|and) (?=(?:ask|collect|gather|find out|end the call|confirm"
    r"|get their)\b)",
    re.IGNORECASE,
)
_PREAMBLE = re.compile(
    rf"^(?:when(?:ever)? {CALLER} (?:calls?|rings?|phones?)(?: in| us| you)?,"
    r"|(?:i|we) (?:need|want|would like) (?:someone|somebody|an? [\w ]{3,40}?) (?:to|that|who))\s+",
    re.IGNORECASE,
)
_SPLITTABLE = re.compile(
    r"^(?:please |then |first,? |you )?(?:greet|ask|collect|gather|answer|book|take|be|help|get"
    r"|start|confirm|introduce|welcome|find out|schedule|qualify|handle)\b",
    re.IGNORECASE,
)
_CONDITION = re.compile(r"^(?:if|when|whenever|unless|once)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Extraction:
    persona: Persona
    playbook: Playbook


@lru_cache(maxsize=64)
def extract_from_prompt(system_prompt: str, agent_name: str) -> Extraction:
    """What ``system_prompt`` says, field by field. What fits no field becomes a script.

    Args:
        agent_name: the agent's label. It shows that "front desk" in "You are front desk at Ritz" is
            a name.
    """
    draft = Draft()
    layout = layout_of(system_prompt)
    read = [
        (part, part.is_heading or (looked_into and _read(part, draft, agent_name)))
        for part, looked_into in _parts(layout.text)
    ]
    draft.drop_unanswered()
    draft.answer(layout.answers)
    _open_call(layout.text, draft)
    draft.knowledge.extend(layout.facts)
    arrived = frozenset[str]().union(*map(words_of, draft.texts()))
    draft.guidelines.extend(_left_over(read, arrived))
    return Extraction(draft.persona(), draft.playbook())


def _open_call(text: str, draft: Draft) -> None:
    """An agent that calls people asks whether it has the right person, and says why it calls."""
    if draft.opener or not is_outbound(text):
        return
    lines = outbound_lines(text)
    of = f" of {draft.company}" if draft.company else ""
    name = f"{draft.name}, " if draft.name else ""
    greeting = f"Hello, this is {name}the automated assistant{of}."
    business = f"{lines.business} Is this a good moment?".strip()
    draft.opener = f"{greeting} {lines.asks_for or business}"
    if lines.asks_for:
        draft.questions.insert(0, business)


def _parts(prompt: str) -> Iterator[tuple[Statement, bool]]:
    """Statements, one per instruction, and whether rules read them."""
    for count, said in enumerate(statements(prompt)):
        if said.is_heading or count >= _MAX_SENTENCES or len(said.text) > MAX_SENTENCE_CHARACTERS:
            yield said, False
        elif preamble := _PREAMBLE.match(said.text):
            # "When a guest calls, …" and "I need someone to …" only introduce an instruction.
            if not words_of(preamble[0]) <= STRUCTURE | HEADING_WORDS:
                yield replace(said, text=preamble[0].strip(" ,"), is_heading=True), False
            for clause in _clauses(said.text[preamble.end() :]):
                yield replace(said, text=clause), True
        elif _SPLITTABLE.match(said.text):
            for clause in _clauses(said.text):
                yield replace(said, text=clause), True
        else:
            yield said, True


def _clauses(text: str) -> Iterator[str]:
    """The instructions in one sentence. Quotations are not split."""
    quoted = [match.span() for match in QUOTED.finditer(text)]
    start = 0
    for end in _CLAUSES.finditer(text):
        if not any(first < end.start() < last for first, last in quoted):
            yield text[start : end.start()].strip()
            start = end.end()
    yield text[start:].strip()


def _read(said: Statement, draft: Draft, agent_name: str) -> bool:
    keyed = _KEY_VALUE.match(said.text)
    is_listed = said.topic in (Topic.SLOTS, Topic.OBJECTIONS) or _CONDITION.match(said.text)
    if keyed and not is_listed and (topic := topic_of(keyed["key"])):
        said = replace(said, text=keyed["value"], topic=topic, is_item=True)
    return (
        read_quotation(said, draft)
        or read_handover(said, draft)
        or read_answer(said, draft)
        or read_question(said, draft)
        or read_identity(said, draft, agent_name)
        or read_by_topic(said, draft)
        or read_fact(said, draft)
    )


def _significant_words(text: str) -> frozenset[str]:
    keyed = _KEY_VALUE.match(text)
    if keyed and words_of(keyed["key"]) <= STRUCTURE | HEADING_WORDS:
        text = keyed["value"]
    return words_of(text) - STRUCTURE


def _left_over(read: Iterable[tuple[Statement, bool]], arrived: frozenset[str]) -> Iterator[str]:
    """Sentences whose words are not all in a field, under their headings."""
    heading = ""
    for said, was_taken in read:
        is_complete = was_taken and _significant_words(said.text) <= arrived
        if said.is_heading:
            heading = f"{said.text}:"
            is_announced = words_of(said.text) <= STRUCTURE | HEADING_WORDS
            if is_announced or is_complete:
                continue
        elif is_complete:
            continue
        if heading:
            yield heading
            heading = ""
        if not said.is_heading:
            yield said.text

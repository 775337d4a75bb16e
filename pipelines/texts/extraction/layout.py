"""Takes a prompt apart by its layout: answers, lists of facts, and the text that is left.

Rules that read sentences cannot see these: in a FAQ, a question belongs to the words below it, and
a row of a table says nothing without the table's head.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import groupby

from pipelines.texts.extraction.fact_lists import (
    hours_in,
    item_of,
    offered,
    price_in,
    question_rows,
    table_facts,
)
from pipelines.texts.extraction.faq import (
    FAQ_HEADING,
    Answer,
    answer_in,
    answer_to,
    question_in,
    running_answers,
)
from pipelines.texts.extraction.statements import heading_of, is_bullet, sentences, without_bullet
from pipelines.texts.extraction.topics import Topic, topic_of

_PLACE = re.compile(
    r"^(?P<head>.{12,400}?)(?:,| and|;|:| [-–—])\s+(?P<clause>(?:we(?:'re|’re| are)"
    r"|our (?:address|office|shop|clinic) is) (?:at|located|in|on|near|open|closed)\b.{3,200})$",
    re.IGNORECASE,
)
_CONDITION = re.compile(r"^(?:if|when|whenever|say|tell|ask|explain|we|our|once)\b", re.IGNORECASE)
_PRICE_WORDS = re.compile(r"\b(?:and|our|prices?|pricing|rates|list|costs?)\b")
_LEAST_MENU = 2
_LONGEST_LINE = 2_000
_MENU_WORDS = ("menu", "dishes", "pizzas", "services", "treatments", "price", "rates", "classes")


@dataclass
class Layout:
    answers: list[Answer] = field(default_factory=list)
    facts: list[str] = field(default_factory=list)
    rest: list[str] = field(default_factory=list)
    """The other lines."""
    headings: int = 0
    marked_headings: int = 0
    """Those that no sentence could be taken for: ``# Goal``, ``[Goal]``, ``GOAL``."""

    @property
    def is_document(self) -> bool:
        """Whether it is written in sections, not as running text."""
        return self.marked_headings > 0 or self.headings > 1

    @property
    def text(self) -> str:
        return "\n".join(self.rest)


@dataclass(frozen=True, slots=True)
class _Line:
    text: str
    heading: str
    is_heading: bool = False
    is_row: bool = False


def layout_of(prompt: str) -> Layout:
    """Never raises. Lines keep their order; what became an answer or a fact is taken out."""
    reader = _Reader()
    for is_table, group in groupby(_lines(prompt), key=lambda line: line.is_row):
        lines = list(group)
        if is_table and _read_table([line.text for line in lines], reader.layout):
            continue
        for line in lines:
            reader.read(line)
    reader.close()
    return reader.layout


@dataclass
class _Reader:
    layout: Layout = field(default_factory=Layout)
    items: dict[str, list[str]] = field(default_factory=dict)
    """What the price lists below each heading offer."""
    question: str = ""
    """A question of callers that the next line may answer."""
    question_at: int = 0
    is_sure: bool = False
    """Whether the question can be none of the agent's own, so that any line may answer it."""

    def read(self, line: _Line) -> None:
        bare = without_bullet(line.text)
        if line.is_heading:
            self._read_heading(line, bare)
        elif not bare or len(bare) > _LONGEST_LINE:
            self.layout.rest.append(line.text)
        elif not self._answers_question(bare):
            self._read_line(line, bare)

    def close(self) -> None:
        for heading, named in self.items.items():
            if len(named) >= _LEAST_MENU and any(word in heading.lower() for word in _MENU_WORDS):
                asked = _PRICE_WORDS.sub(" ", heading.lower()).strip() or "services"
                self.layout.answers.append(Answer(asked, offered(named)))

    def _read_heading(self, line: _Line, bare: str) -> None:
        layout = self.layout
        is_question = bare.rstrip(" *#").endswith("?")
        layout.headings += 1
        layout.marked_headings += not line.text.rstrip().endswith(":")
        self._expect_answer(question_in(bare, is_faq=True) if is_question else "", is_sure=True)
        layout.rest.append(line.text)

    def _answers_question(self, bare: str) -> bool:
        pair = answer_to(self.question, bare, is_faq=self.is_sure) if self.question else None
        self.question = ""
        if pair is None:
            return False
        del self.layout.rest[self.question_at :]
        self.layout.answers.append(pair)
        return True

    def _read_line(self, line: _Line, bare: str) -> None:
        layout = self.layout
        is_faq = bool(FAQ_HEADING.search(line.heading))
        if _read_line(line, bare, layout, self.items, is_faq=is_faq):
            return
        running = _running(line, layout, is_faq=is_faq)
        if running == line.text and _may_ask(line, is_faq):
            self._expect_answer(question_in(bare, is_faq=is_faq), is_sure=is_faq)
        if running:
            layout.rest.append(running)

    def _expect_answer(self, question: str, *, is_sure: bool) -> None:
        self.question, self.is_sure = question, is_sure
        self.question_at = len(self.layout.rest)


def _lines(prompt: str) -> Iterator[_Line]:
    heading = ""
    for text in prompt.splitlines():
        found = heading_of(text)
        bare = text.strip()
        if found is None and bare.endswith(":") and len(bare) <= 60 and not is_bullet(text):
            found = bare.rstrip(": ") if FAQ_HEADING.search(bare) or _is_menu(bare) else None
        if found is not None:
            # "### Where are you?" is a question of the section that it stands in.
            heading = heading if found.endswith("?") else found
            yield _Line(text, heading, is_heading=True)
        else:
            is_row = bare.startswith("|") and bare.endswith("|") and bare.count("|") > 2
            yield _Line(text, heading, is_row=is_row)


def _is_menu(line: str) -> bool:
    return any(word in line.lower() for word in (*_MENU_WORDS, "hours"))


def _may_ask(line: _Line, is_faq: bool) -> bool:
    """Whether a question in this line is one of callers. A list of questions to ask is the
    agent's."""
    topic = topic_of(line.heading)
    is_agents = topic in (Topic.QUESTIONS, Topic.SLOTS, Topic.OPENER)
    return is_faq or not is_agents


def _running(line: _Line, layout: Layout, *, is_faq: bool) -> str:
    """The line without the pairs and the address that its sentences contain."""
    text = line.text
    if "?" in text and _may_ask(line, is_faq):
        pairs, rest = running_answers(text)
        layout.answers.extend(pairs)
        text = rest if pairs else text
    said = list(sentences(text))
    parts = [_without_place(sentence, layout) for sentence in said]
    return " ".join(parts) if parts != said else text


def _without_place(sentence: str, layout: Layout) -> str:
    """``You answer calls for Acme, we are at 5 King Street.`` has a fact behind its comma."""
    match = _PLACE.search(sentence)
    if match is None or _CONDITION.match(sentence) or '"' in sentence:
        return sentence
    clause = match["clause"].strip()
    layout.facts.append(f"{clause[:1].upper()}{clause[1:].rstrip('.')}.")
    return f"{match['head'].strip()}."


def _read_table(rows: list[str], layout: Layout) -> bool:
    if asked := question_rows(rows):
        layout.answers.extend(Answer(question, said) for question, said in asked)
        return True
    facts = table_facts(rows)
    layout.facts.extend(facts)
    return bool(facts)


def _read_line(
    line: _Line, bare: str, layout: Layout, items: dict[str, list[str]], *, is_faq: bool
) -> bool:
    if spoken := hours_in(bare):
        layout.facts.append(spoken)
        return True
    if spoken := price_in(bare):
        layout.facts.append(spoken)
        items.setdefault(line.heading, []).append(item_of(bare))
        return True
    is_listed = is_faq or topic_of(line.heading) is Topic.KNOWLEDGE
    pair = answer_in(bare, is_faq=is_faq, is_listed=is_listed) if _may_ask(line, is_faq) else None
    if pair is not None:
        layout.answers.append(pair)
    return pair is not None

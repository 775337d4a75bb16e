"""Answers to what callers say besides answering the open question: who is speaking, objections,
questions about the company, a request for a person."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date

from pipelines.playbook import wording
from pipelines.playbook.agenda import known_slots
from pipelines.playbook.dialogue_plan import DialoguePlan
from pipelines.playbook.intents import Intent
from pipelines.playbook.knowledge import FOUND_SHARE, answer
from pipelines.playbook.opening_hours import NOT_KNOWN
from pipelines.playbook.state import Question, State, Topic
from pipelines.playbook.triggers import said_concepts, strongest
from pipelines.playbook.values.dates import find_dates
from pipelines.playbook.values.phrase import Phrase
from pipelines.playbook.values.slot_types import Kind

_OPEN = re.compile(r"\b(?:open|closed|close|hours)\b")
_OBJECTION_STRENGTH = 0.5
_STRICT_STRENGTH = 0.99
"""If free text was asked for, an objection counts only if all of it is said."""
_WHOLE_QUESTION = 0.95
_LEAST_FIT = 0.8
_ESCALATION_STRENGTH = 0.75
_OFF_LIMITS_STRENGTH = 0.75


@dataclass(frozen=True, slots=True)
class Answer:
    text: str
    outranks_answer: bool = False
    """Whether it has priority if the same words could answer the open question."""
    question: Question | None = None
    """Asked next instead of the open question."""
    note: str | None = None
    transfers: bool = False
    """Nothing is asked after it either: the caller is connected to a person."""
    is_final: bool = False
    """Nothing is asked after it."""


def side_answer(
    plan: DialoguePlan, state: State, said: Phrase, wants: frozenset[Intent], today: date
) -> Answer | None:
    """The answer, or ``None`` if the caller says nothing of this kind."""
    if not plan.is_english:
        return None
    return (
        _about_hours(plan, said, today)
        or _handover(plan, said, wants)
        or _about_agent(plan, state, wants)
        or _from_playbook(plan, state, said)
        or _small_talk(wants)
        or _from_knowledge(plan, said)
    )


def _handover(plan: DialoguePlan, said: Phrase, wants: frozenset[Intent]) -> Answer | None:
    heard = said_concepts(said)
    asks_for_person = Intent.HUMAN in wants and Intent.ARE_YOU_ROBOT not in wants
    if asks_for_person or plan.escalation.strength(heard) >= _ESCALATION_STRENGTH:
        return Answer(
            wording.escalation(plan),
            outranks_answer=True,
            question=Question(Topic.GO_ON),
            note="The caller asks for a person."
            if plan.transfer
            else "The caller should be called back by a person.",
            transfers=plan.transfer is not None,
        )
    if plan.off_limits.strength(heard) >= _OFF_LIMITS_STRENGTH:
        return Answer(wording.off_limits(), outranks_answer=True)
    return None


def _about_agent(plan: DialoguePlan, state: State, wants: frozenset[Intent]) -> Answer | None:
    if Intent.ARE_YOU_ROBOT in wants:
        return Answer(wording.not_a_person(plan), outranks_answer=True)
    if Intent.WHO_ARE_YOU in wants:
        return Answer(wording.identity(plan), outranks_answer=True)
    if Intent.CAPABILITIES in wants:
        return Answer(wording.capabilities(plan), outranks_answer=True)
    if Intent.RECAP in wants:
        return Answer(wording.recap(known_slots(plan, state)), outranks_answer=True)
    return None


def _from_playbook(plan: DialoguePlan, state: State, said: Phrase) -> Answer | None:
    """An objection's response or a script's content."""
    pending = state.pending
    field = plan.field(pending.key) if pending and pending.topic is Topic.FIELD else None
    wants_free_text = field is not None and field.kind in (Kind.TEXT, Kind.CHOICE)
    is_strict = wants_free_text and not said.is_question
    least = _STRICT_STRENGTH if is_strict else _OBJECTION_STRENGTH
    found = strongest((*plan.objections, *plan.scripts), said, least)
    if found is None:
        return None
    if said.is_question and (fit := found.fit(said_concepts(said))) < _WHOLE_QUESTION:
        # "Can I pay by card?" has a word of "How much is the soup?", a price list has them all.
        known = answer(said, plan.knowledge, max(fit, _LEAST_FIT))
        return Answer(known) if known else Answer(found.text)
    return Answer(found.text)


def _about_hours(plan: DialoguePlan, said: Phrase, today: date) -> Answer | None:
    """Whether the business is open on the day that the caller asks about."""
    if not (said.is_question and _OPEN.search(said.plain)) or plan.hours == NOT_KNOWN:
        return None
    days = find_dates(said, today, expected=False)
    if not days:
        return None
    return Answer(wording.opening(plan.hours, date.fromisoformat(days[0].value)), True)


def _small_talk(wants: frozenset[Intent]) -> Answer | None:
    if Intent.HOW_ARE_YOU in wants:
        return Answer("I'm doing well, thank you.")
    return None


def _from_knowledge(plan: DialoguePlan, said: Phrase) -> Answer | None:
    if not said.is_question:
        return None
    known = answer(said, plan.knowledge) or answer(said, tuple(plan.found), FOUND_SHARE)
    return Answer(known) if known else None

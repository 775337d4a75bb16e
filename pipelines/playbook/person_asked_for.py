"""A call that the agent has placed begins with whether it has the right person.

The matter is nobody's business but that person's, so nothing else is said before.
"""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date

from pipelines.playbook import wording
from pipelines.playbook.dialogue_plan import DialoguePlan
from pipelines.playbook.intents import Intent
from pipelines.playbook.replies import Replies, last_sentence
from pipelines.playbook.side_requests import side_answer
from pipelines.playbook.state import Reply, State
from pipelines.playbook.values.phrase import Phrase
from pipelines.playbook.values.yes_no import yes_or_no

_ASKS_FOR_PERSON = re.compile(r"\b(?:speaking|talking) (?:with|to) [^.?!]+\?\s*$", re.IGNORECASE)
_IT_IS_ME = re.compile(r"\b(?:speaking|this is (?:he|she|him|her|me)|thats me|it is me|its me)\b")


_NOT_HERE = re.compile(
    r"\b(?:not (?:here|home|at home|in|available|around)|(?:isnt|aint) (?:here|home|in|available)|"
    r"no longer (?:lives|works)|doesnt (?:live|work) here|moved (?:out|away))\b"
)


def asks_for_person(plan: DialoguePlan) -> bool:
    return plan.is_english and bool(_ASKS_FOR_PERSON.search(plan.opener))


def identified(
    replies: Replies, state: State, said: Phrase, wants: frozenset[Intent], today: date
) -> tuple[State, Reply]:
    """The reply to whoever has answered. The question is put twice at most."""
    question = last_sentence(replies.plan.opener)
    answer = yes_or_no(said)
    if _NOT_HERE.search(said.plain):
        answer = False
    if answer is None and _IT_IS_ME.search(said.plain):
        answer = True
    side = side_answer(replies.plan, state, said, wants, today)
    is_aside = side is not None and side.outranks_answer
    if answer is True and not is_aside:
        return replies.proceed(state, "Thank you.", "")
    if answer is False or state.misses:
        said_last = wording.wrong_number() if answer is False else wording.not_for_everybody()
        return replies.end(state, said_last, note="The person was not reached.")
    before = side.text if side is not None and is_aside else ""
    note = side.note if side is not None else None
    return replies.say(replace(state, misses=1), f"{before} {question}", note=note)

"""Turns clauses about callers into questions to them.

``whether they own a home`` becomes ``Do you own a home?``.
"""

from __future__ import annotations

import re

_WHETHER = re.compile(r"^(?:if|whether)(?: or not)? ", re.IGNORECASE)
_WH = re.compile(r"^(?:what|which|where|when|who|whom|why|how)\b", re.IGNORECASE)
_CALLER = (
    r"(?:they|he|she|callers?|customers?|(?:the|a|each) (?:caller|customer|guest|patient|client|"
    r"lead|user|person|prospect|candidate|resident|tenant|driver|visitor|student|member))"
)
_BE = re.compile(rf"^{_CALLER} (?:are|is|'re|were|was) ", re.IGNORECASE)
_MODAL = re.compile(
    rf"^{_CALLER} (?P<modal>can|could|will|would|should|have (?=\w+(?:ed|en)\b|been |had |got )"
    r"|had (?=\w+ed\b))\s*",
    re.IGNORECASE,
)
_SUBJECT = re.compile(rf"^{_CALLER}(?P<contracted>'d like| )", re.IGNORECASE)
_THIRD_PERSON = re.compile(r"^(?P<stem>\w+?)(?P<ending>ies|(?<=[sxz])es|(?<=sh)es|(?<=ch)es|s)\b")
_IRREGULAR = {"has": "have", "does": "do", "goes": "go", "is": "be"}
_PAST = re.compile(
    r"^(?:(?!(?:need|feed|speed|bleed|breed|seed)\b)\w+ed|heard|found|bought|got|came|went|saw|had|did)\b",
    re.IGNORECASE,
)
_ITS_BE = re.compile(
    r"^(?P<subject>it|there|this|that|anyone|anybody|someone|the \w+(?: \w+)?) "
    r"(?P<be>is|are|was|were) ",
    re.IGNORECASE,
)
_PRONOUNS = (
    (re.compile(r"\b(?:they|he|she) (?:are|is)\b|\bthey're\b", re.IGNORECASE), "you are"),
    (
        re.compile(
            r"\bthey(?= )|\bthe (?:caller|customer|guest|patient|client|lead|user)\b(?!')",
            re.IGNORECASE,
        ),
        "you",
    ),
    (
        re.compile(
            r"\b(?:their|his|her|the (?:caller|customer|guest|patient|client|lead|user)'s)\b",
            re.IGNORECASE,
        ),
        "your",
    ),
    (re.compile(r"\bthem\b", re.IGNORECASE), "you"),
    (re.compile(r"\bthemselves\b", re.IGNORECASE), "yourself"),
)


def is_clause(text: str) -> bool:
    return bool(_WHETHER.match(text) or _WH.match(text))


def question_of(clause: str) -> str:
    """The clause as a question in the second person. ``is_clause(clause)`` must be true."""
    bare = clause.strip(" .?!,")
    if _WHETHER.match(bare):
        return _yes_no_question(_WHETHER.sub("", bare))
    return f"Could you tell me {addressed(bare[:1].lower() + bare[1:])}?"


def addressed(text: str) -> str:
    """``their home`` → ``your home``."""
    for pattern, replacement in _PRONOUNS:
        text = pattern.sub(replacement, text)
    return text


def _yes_no_question(statement: str) -> str:
    if _BE.match(statement):
        return f"Are you {addressed(_BE.sub('', statement))}?"
    if modal := _MODAL.match(statement):
        rest = addressed(statement[modal.end() :])
        return f"{modal['modal'].strip().capitalize()} you {rest}?"
    if its := _ITS_BE.match(statement):
        rest = statement[its.end() :]
        return f"{its['be'].capitalize()} {addressed(its['subject'].lower())} {addressed(rest)}?"
    subject = _SUBJECT.match(statement)
    if subject is None:
        return f"Could you tell me whether {addressed(statement)}?"
    if subject["contracted"] == "'d like":
        return f"Would you like{addressed(statement[subject.end() :])}?"
    predicate = statement[subject.end() :]
    if _PAST.match(predicate):
        return f"Could you tell me whether you {addressed(predicate)}?"
    return f"Do you {addressed(_second_person(predicate))}?"


def _second_person(predicate: str) -> str:
    """``has a dog`` → ``have a dog``."""
    verb, _, rest = predicate.partition(" ")
    if verb in _IRREGULAR:
        verb = _IRREGULAR[verb]
    elif (ending := _THIRD_PERSON.match(verb)) and not verb.endswith("ss"):
        verb = ending["stem"] + ("y" if ending["ending"] == "ies" else "")
    return f"{verb} {rest}".strip()

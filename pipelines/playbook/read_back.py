"""How values are read back: as parts of a sentence, never as a slot's name and raw text."""

from __future__ import annotations

import re

from pipelines.playbook.state import Value
from pipelines.playbook.values.slot_types import Field, Kind

_SPEAKS_FOR_ITSELF = frozenset({Kind.NAME, Kind.TIME, Kind.EMAIL, Kind.DATE, Kind.PHONE})
_PEOPLE = re.compile(r"^(?:party size|(?:number of )?(?:people|guests|diners|persons))$")
_COUNTED = re.compile(r"^(?:number of|how many) (?P<what>.+)$")
_ABOUT_YOU = re.compile(
    r"^(?P<verb>do|are|have|can|will|were|would|did) you (?P<rest>.+)\?$", re.IGNORECASE
)
_TO_YOU = (
    (re.compile(r"\b(?:i am|i'm|im)\b", re.IGNORECASE), "you are"),
    (re.compile(r"\b(?:i was)\b", re.IGNORECASE), "you were"),
    (re.compile(r"\b(?:i've|ive)\b", re.IGNORECASE), "you have"),
    (re.compile(r"\b(?:i'd|id)(?= like)", re.IGNORECASE), "you would"),
    (re.compile(r"\b(?:i'll)\b", re.IGNORECASE), "you will"),
    (re.compile(r"\bmyself\b", re.IGNORECASE), "yourself"),
    (re.compile(r"\bmy\b", re.IGNORECASE), "your"),
    (re.compile(r"\bme\b", re.IGNORECASE), "you"),
    (re.compile(r"\bI\b"), "you"),
    (re.compile(r"(?:^|(?<= ))i(?= )"), "you"),
)
_PLURAL = re.compile(r"(?:[^sui]s|people|ies)$")


def part(field: Field, value: Value) -> str:
    """``Anna Smith``, ``4 people``, ``the problem is that your tooth hurts``."""
    if field.kind in _SPEAKS_FOR_ITSELF:
        return value.spoken
    if field.kind is Kind.YES_NO:
        return _yes_or_no(field, value.value)
    if _PEOPLE.match(field.label):
        return f"{value.spoken} {'person' if value.value == '1' else 'people'}"
    if (counted := _COUNTED.match(field.label)) is not None:
        return f"{value.spoken} {counted['what']}"
    verb = "are" if _PLURAL.search(field.label) else "is"
    return f"the {field.label} {verb} {to_caller(value.spoken)}"


def to_caller(words: str) -> str:
    """``my tooth hurts`` → ``your tooth hurts``."""
    for pattern, word in _TO_YOU:
        words = pattern.sub(word, words)
    return words.strip(" .,")


def statement(question: str, *, is_so: bool = True) -> str:
    """``Do you own a home?`` → ``you own a home``, or ``you do not own a home``. Empty for a
    question that is not about the caller."""
    asked = _ABOUT_YOU.match(question.strip())
    if asked is None:
        return ""
    verb, rest = asked["verb"].lower(), asked["rest"]
    if verb == "do" and is_so:
        return f"you {rest}"
    return f"you {verb}{'' if is_so else ' not'} {rest}"


def _yes_or_no(field: Field, value: str) -> str:
    return statement(field.question, is_so=value == "yes") or f"{value} to {field.label}"

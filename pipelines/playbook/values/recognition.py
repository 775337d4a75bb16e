"""Finds the value of a field in a phrase, according to the field's kind."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from rapidfuzz import fuzz

from pipelines.playbook.intents import Intent, intents
from pipelines.playbook.values.answers_in_words import asks_something, first_words, fits
from pipelines.playbook.values.codes import find_codes, is_code
from pipelines.playbook.values.dates import find_dates
from pipelines.playbook.values.emails import find_emails
from pipelines.playbook.values.person_names import find_names
from pipelines.playbook.values.phone_numbers import find_phone_numbers
from pipelines.playbook.values.phrase import Found, Phrase
from pipelines.playbook.values.quantities import find_amounts, find_numbers
from pipelines.playbook.values.slot_types import Field, Kind
from pipelines.playbook.values.times import find_times
from pipelines.playbook.values.yes_no import yes_or_no

ORDER = (
    Kind.EMAIL,
    Kind.PHONE,
    Kind.DATE,
    Kind.AMOUNT,
    Kind.TIME,
    Kind.NUMBER,
    Kind.CHOICE,
    Kind.NAME,
    Kind.YES_NO,
    Kind.TEXT,
)
"""The most unmistakable kind first. A word that one kind has used is hidden from the next ones."""

_CHOICE_SIMILARITY = 85
_LEAD_INS = frozenset(
    (
        "well so yes yeah yep sure ok okay please its it is because oh i think maybe just actually"
    ).split()
)
_NO_ANSWER = frozenset({Intent.DO_NOT_KNOW, Intent.REPEAT, Intent.HOLD_ON, Intent.STILL_HERE})


@dataclass(frozen=True, slots=True)
class Place:
    """The day of the call, and the country (ISO 3166) whose phone numbers need no prefix. The
    meaning of spoken values depends on them."""

    today: date
    region: str | None


def find(field: Field, said: Phrase, place: Place, *, expected: bool) -> list[Found]:
    """Values in the order in which they were said. ``expected``: the field was asked for."""
    match field.kind:
        case Kind.DATE:
            return find_dates(said, place.today, expected=expected, past=field.is_past)
        case Kind.TIME:
            return find_times(said, expected=expected)
        case Kind.PHONE:
            return find_phone_numbers(said, place.region, whole=expected)
        case Kind.EMAIL:
            return find_emails(said)
        case Kind.NUMBER:
            if expected and is_code(field.label):
                return find_codes(said)
            return find_numbers(said, expected=expected, units=field.label.split())
        case Kind.AMOUNT:
            return find_amounts(said, expected=expected)
        case Kind.NAME:
            return find_names(said, expected=expected, label=field.label)
        case Kind.CHOICE:
            return _choice(field, said) or (_free_text(said, field) if expected else [])
        case Kind.YES_NO:
            return _yes_no(said) if expected else []
        case Kind.TEXT:
            return _free_text(said, field) if expected else first_words(field, said)


def _choice(field: Field, said: Phrase) -> list[Found]:
    for choice in field.choices:
        rating = fuzz.partial_ratio(choice.lower().replace("-", " "), said.plain)
        long_enough = len(said.plain) >= len(choice) - 1
        if long_enough and rating >= _CHOICE_SIMILARITY:
            return [Found(choice, choice, range(0))]
    return []


def _yes_no(said: Phrase) -> list[Found]:
    answer = yes_or_no(said)
    if answer is None:
        return []
    word = "yes" if answer else "no"
    return [Found(word, word, range(len(said.words)))]


def _free_text(said: Phrase, field: Field | None = None) -> list[Found]:
    free = [i for i in said.free if i not in _leading(said)]
    if asks_something(said) or (field is not None and not fits(field, said)):
        return []
    if not free or intents(said) & _NO_ANSWER:
        return []
    text = " ".join(said.surface[i] for i in range(free[0], len(said.surface)))
    return [Found(text, text, range(free[0], len(said.surface)))]


def _leading(said: Phrase) -> range:
    end = 0
    while end < len(said.words) - 1 and said.words[end] in _LEAD_INS:
        end += 1
    return range(end)

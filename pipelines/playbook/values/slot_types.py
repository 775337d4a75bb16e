"""What kind of value a slot has, judged by its name and description."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from itertools import pairwise

from contracts.agent_config import QualificationQuestion, RequiredSlot
from pipelines.texts import word_borders


class Kind(Enum):
    NAME = "name"
    DATE = "date"
    TIME = "time"
    PHONE = "phone"
    EMAIL = "email"
    NUMBER = "number"
    AMOUNT = "amount"
    YES_NO = "yes_no"
    CHOICE = "choice"
    TEXT = "text"


@dataclass(frozen=True, slots=True)
class Field:
    """One thing to ask for. A slot for a day and a time becomes two fields."""

    key: str
    slot: str
    """The slot that gets the value."""
    label: str
    """The slot's name as people say it: ``appointment day``."""
    kind: Kind
    description: str = ""
    required: bool = True
    choices: tuple[str, ...] = ()
    is_past: bool = False
    """It is a day of birth, not a day in the future."""
    question: str = ""
    """The owner's own question, if there is one."""
    is_qualification: bool = False
    """A question of the qualification flow. Any answer is accepted, and none is reported."""


_KINDS = (
    (Kind.EMAIL, r"e ?mail"),
    (Kind.PHONE, r"phone|mobile|cell|telephone|callback number|contact number|number to call"),
    (Kind.NUMBER, r"zip|postal|post code|pin code"),
    (
        Kind.YES_NO,
        r"yes (?:or|/) ?no|yes/no|whether|true (?:or|/) ?false|boolean|consent|"
        r"^(?:is|has|does|wants|are|do|have|needs|can|will) ",
    ),
    (
        Kind.NAME,
        r"(?:^|caller|full|first|last|customer|patient|guest|contact|your|client|person|sur|"
        r"owner|parent|student|member|tenant|employee|driver)"
        r"s?\s?names?\b|^who\b|\bname of (?:the )?(?:caller|patient|guest|person|customer)",
    ),
    (Kind.AMOUNT, r"\b(?:amount|budget|price|salary|income|revenue|cost)\b"),
    (
        Kind.NUMBER,
        r"\b(?:number of|how many|count|age|quantity|party size|people|guests|size|how old|number|"
        r"zip|rooms|nights|adults|children)\b",
    ),
    (Kind.DATE, r"\b(?:dates?|days?|birthday|dob|weekday|when)\b"),
    (Kind.TIME, r"\b(?:times?|hours?|oclock|o'clock)\b"),
)
_DAY_AND_TIME = re.compile(
    r"\b(?:date ?time|(?:date|day) (?:and|&|/) time|time (?:and|&|/) (?:date|day)|"
    r"(?:date|day)/time)\b"
)
_CHOICES = re.compile(
    r"(?:one of|either|choose from|options?|e\.?g\.?|for example|such as|like)[:,]? "
    r"(?P<listed>[^().;]+)"
    r"|\((?P<bracketed>[^()]*(?:,|\bor\b)[^()]*)\)"
)
_BETWEEN_WORDS = re.compile(rf"(?:{word_borders.NO_LETTER}|_)+")
_BIRTH = re.compile(r"\b(?:birth\w*|born|dob)\b")
_HIGHEST_CHOICES = 12
_YES_NO_QUESTION = re.compile(
    r"(?:^|[.!,;] )(?:and |so )?(?:are|is|do|does|did|have|has|had|can|could|would|will|was|were|"
    r"should|may) (?!.*\bor\b)[^.?!]*\?\s*$"
    r"|^(?:please )?(?:tell me|could you tell me|let me know) (?:whether|if) (?!.*\bor\b)",
    re.IGNORECASE,
)


def fields(slot: RequiredSlot) -> tuple[Field, ...]:
    """The fields to ask for, in order."""
    label = label_of(slot.name)
    description = slot.description.strip()
    both = f"{label.lower()} {description.lower()}"
    choices = choices_in(description)
    kind = kind_of(label, _CHOICES.sub("", description) if choices else description)
    if kind in (Kind.DATE, Kind.TIME) and _DAY_AND_TIME.search(both):
        return (
            Field(f"{slot.name}/day", slot.name, "day", Kind.DATE, "", slot.required),
            Field(f"{slot.name}/time", slot.name, "time", Kind.TIME, "", slot.required),
        )
    is_choice = bool(choices) and kind is Kind.TEXT
    return (
        Field(
            slot.name,
            slot.name,
            label,
            Kind.CHOICE if is_choice else kind,
            description,
            slot.required,
            choices if is_choice else (),
            bool(_BIRTH.search(both)),
            description if description.endswith("?") else "",
        ),
    )


def free_field(slot: RequiredSlot) -> Field:
    """The slot as free text, for languages that have no recognisers here."""
    label = label_of(slot.name)
    question = slot.description.strip() or label
    return Field(slot.name, slot.name, label, Kind.TEXT, "", slot.required, question=question)


def qualification_field(
    index: int, asked: QualificationQuestion, *, is_english: bool = True
) -> Field:
    """A question of the qualification flow. Its key is never the key of a slot."""
    question = asked.question.strip()
    is_yes_no = is_english and _YES_NO_QUESTION.search(question)
    kind = Kind.YES_NO if is_yes_no else Kind.TEXT
    key = f"qualification/{index}"
    return Field(key, "", "answer", kind, question=question, is_qualification=True)


def label_of(name: str) -> str:
    """``appointmentDay``, ``appointment_day`` → ``appointment day``, in every script."""
    spaced = "".join(
        f" {letter}" if letter.isupper() and (before.islower() or before.isdigit()) else letter
        for before, letter in pairwise(f" {name}")
    )
    return _BETWEEN_WORDS.sub(" ", spaced).strip().lower() or name.strip() or "answer"


def kind_of(label: str, description: str) -> Kind:
    """Judged by the name, and by the description if the name says nothing."""
    for text in (label, description.lower()):
        for kind, pattern in _KINDS:
            if re.search(pattern, text):
                return kind
    return Kind.TEXT


def choices_in(description: str) -> tuple[str, ...]:
    """``"Reason, e.g. cleaning, check-up or pain"`` → ``("cleaning", "check-up", "pain")``."""
    match = _CHOICES.search(description)
    if match is None:
        return ()
    listed = match["listed"] or match["bracketed"]
    parts = (part.strip(" '\"") for part in re.split(r",|\bor\b|/", listed))
    found = tuple(part for part in parts if part and len(part.split()) <= 4)
    return found if 2 <= len(found) <= _HIGHEST_CHOICES else ()

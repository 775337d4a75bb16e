"""Which fields a phrase fills, including corrections."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import time

from pipelines.playbook.dialogue_plan import DialoguePlan
from pipelines.playbook.state import Question, State, Topic, Value
from pipelines.playbook.values.phrase import Found, Phrase, phrase
from pipelines.playbook.values.recognition import ORDER, Place, find
from pipelines.playbook.values.slot_types import Field, Kind
from pipelines.playbook.values.times import other_half, shifted

_NEGATED_BEFORE = re.compile(
    r"(?:\bnot|\bnot (?:free|available|possible|good)|\bisnt|\bcant (?:do|make|come|on)|"
    r"\bcannot (?:do|make|come|on)|\bdont (?:want|like)|\bexcept|\bexcluding|\bother than|"
    r"\bapart from|\b(?:any|every) ?(?:thing|day|time|other day) but|\bbusy (?:on|at)|"
    r"\binstead of|\brather than)(?: it| on| at| for| the| to| an?)*,?$"
    # "I'm busy. Tuesday?" does not say when.
    r"|\b(?:busy|cant|cannot)$"
)
_NEGATED_AFTER = re.compile(
    r"^(?:(?:really|just) )*(?:doesnt|does not|dont|wont|isnt|is not|is no good|is bad|"
    r"is (?:a )?(?:problem|impossible|difficult)|is wrong|was wrong|not)\b(?! it\b)"
    r"|^(?:i )?(?:cant|cannot)(?: (?:do|make|come))?(?: it)?$"
)
_AS_WELL = re.compile(r"(?:or|and|nor)(?: on| at| for| the| an?)*")
"""Between two values, the second of which is negated with the first."""
_SELF_CORRECTION = re.compile(
    r"\b(?:no|sorry|i mean|i meant|actually|rather|make (?:it|that)|wait|instead|better)\b|\|"
)
_ASKS_TO_WAIT = re.compile(
    r"\b(?:(?:hold|hang) on|one (?:more )?(?:moment|second|sec|minute|min))\b"
    r"(?! (?:past|after|to|till|before|ago|late|later)\b)"
)
_EVENING_FROM, _EVENING_UNTIL = 17, 23
_ONLY_WHEN_ASKED = frozenset({Kind.YES_NO, Kind.TEXT})
_SUMMARY_TOPICS = (Topic.CONFIRM, Topic.CHANGE, Topic.ANYTHING_ELSE)


@dataclass(frozen=True, slots=True)
class Understanding:
    values: dict[str, Value]
    rejected: frozenset[str] = frozenset()
    """Fields whose value the caller withdraws without giving another."""


def understand(
    plan: DialoguePlan, state: State, said: Phrase, place: Place, *, is_correction: bool
) -> Understanding:
    """Values for the field that was asked for, and for others that the caller mentions."""
    asked = _asked_field(plan, state)
    said = _without_pleas_to_wait(said)
    if is_correction and (corrected := _phone_number_in_part(plan, state, said, place)):
        return Understanding(corrected)
    values: dict[str, Value] = {}
    rejected: set[str] = set()
    rest = said
    for kind in ORDER:
        candidates = _candidates(plan, state, kind, asked, is_correction)
        is_first = state.pending == Question(Topic.OPENER)
        if not candidates or (kind in _ONLY_WHEN_ASKED and values and not is_first):
            continue
        expected = asked is not None and asked.kind is kind
        found = find(candidates[0], rest, place, expected=expected)
        wanted = _wanted(rest, found)
        rest = rest.without(i for item in found for i in item.words)
        values |= _assigned(plan, state, candidates, wanted, said, expected or is_correction)
        unwanted = {item.value for item in found if item not in wanted}
        known = [field.key for field in candidates if field.key in state.values]
        rejected |= {key for key in known if state.values[key].value in unwanted}
    if not values and not rejected and is_correction:
        return Understanding(_corrected(plan, state, said, place))
    return Understanding(values, frozenset(rejected - set(values)))


def _without_pleas_to_wait(said: Phrase) -> Phrase:
    """ "One moment" is no number, and "hang on" no name."""
    pleas = _ASKS_TO_WAIT.finditer(said.plain)
    spans = ((said.plain.count(" ", 0, plea.start()), plea[0].count(" ") + 1) for plea in pleas)
    return said.without(index for start, count in spans for index in range(start, start + count))


def _asked_field(plan: DialoguePlan, state: State) -> Field | None:
    pending = state.pending
    if pending is None or pending.topic is not Topic.FIELD:
        return None
    field = plan.field(pending.key)
    # The caller did not hear the question, so only words of an unmistakable kind can answer it.
    return field if state.is_question_heard or field.kind not in _ONLY_WHEN_ASKED else None


def _candidates(
    plan: DialoguePlan, state: State, kind: Kind, asked: Field | None, is_correction: bool
) -> list[Field]:
    """Fields of a kind in the order in which values are assigned: the one that was asked for, the
    empty ones, then the others, last filled first. For a correction, filled ones come first."""
    same = [f for f in plan.fields if f.kind is kind and f is not asked]
    if kind is Kind.TEXT and state.pending == Question(Topic.OPENER):
        return [f for f in same if f.key not in state.values][:1]
    if kind in _ONLY_WHEN_ASKED:
        return [asked] if asked is not None and asked.kind is kind else []
    empty = [f for f in same if f.key not in state.values]
    filled = [f for key in reversed(list(state.values)) for f in same if f.key == key]
    first = [asked] if asked is not None and asked.kind is kind else []
    return [*first, *filled, *empty] if is_correction else [*first, *empty, *filled]


def _assigned(
    plan: DialoguePlan,
    state: State,
    candidates: Sequence[Field],
    found: Sequence[Found],
    said: Phrase,
    sure: bool,
) -> dict[str, Value]:
    if not found:
        return {}
    if len(candidates) == 1 and len(found) > 1:
        between = said.plain.split(" ")[found[0].words.stop : found[-1].words.start]
        is_corrected = _SELF_CORRECTION.search(" ".join(between)) or _negation_between(between)
        found = [found[-1] if is_corrected else found[0]]
    assigned: dict[str, Value] = {}
    for field, item in zip(candidates, found, strict=False):
        known = state.values.get(field.key)
        if item.is_half_assumed:
            item = _in_opening_hours(item, plan)
        value = Value(item.value, item.spoken)
        if known and field.kind is Kind.TIME and ":" not in item.value and ":" in known.value:
            moved = shifted(known.value, item.value)
            if moved is None or not sure:
                continue
            value = Value(moved.value, moved.spoken)
        elif known and field.kind is Kind.TIME and ":" not in known.value and ":" in item.value:
            moved = shifted(item.value, known.value)
            value = Value(moved.value, moved.spoken) if moved else value
        assigned[field.key] = value
    return assigned


def _in_opening_hours(item: Found, plan: DialoguePlan) -> Found:
    """ "At eight" is in the evening if the business is closed in the morning."""
    other = other_half(item)
    meant, moved = time.fromisoformat(item.value), time.fromisoformat(other.value)
    if plan.hours.by_weekday:
        is_better = plan.hours.is_open_at(moved, None) and not plan.hours.is_open_at(meant, None)
        return other if is_better else item
    is_evening = plan.is_evening_business and _EVENING_FROM <= moved.hour <= _EVENING_UNTIL
    return other if is_evening else item


def _negation_between(between: Sequence[str]) -> bool:
    return any(word in ("doesnt", "not", "dont", "cant", "wont", "isnt") for word in between)


def _wanted(said: Phrase, found: Sequence[Found]) -> list[Found]:
    """Without what is negated. "Any day but Monday or Tuesday" negates both."""
    wanted: list[Found] = []
    negated_until: int | None = None
    for item in found:
        between = " ".join(said.words[negated_until : item.words.start])
        is_as_well = negated_until is not None and _AS_WELL.fullmatch(between)
        if is_as_well or _is_negated(said, item):
            negated_until = item.words.stop
        else:
            wanted.append(item)
            negated_until = None
    return wanted


def _is_negated(said: Phrase, item: Found) -> bool:
    if not item.words:
        return False
    before = " ".join(said.words[max(0, item.words.start - 4) : item.words.start])
    before += "," if item.words.start - 1 in said.stops else ""
    after = " ".join(said.words[item.words.stop : item.words.stop + 4])
    return bool(_NEGATED_BEFORE.search(before) or _NEGATED_AFTER.search(after))


def _phone_number_in_part(
    plan: DialoguePlan, state: State, said: Phrase, place: Place
) -> dict[str, Value]:
    """The number that was noted last, if nothing but its end is said again, and otherwise."""
    key = list(state.values)[-1]
    field, known = plan.field(key), state.values[key]
    if field.kind is not Kind.PHONE:
        return {}
    both = phrase(f"{known.spoken} {said.plain}")
    for item in find(field, both, place, expected=True):
        if item.value != known.value and item.words == range(len(both.words)):
            return {key: Value(item.value, item.spoken)}
    return {}


def _corrected(plan: DialoguePlan, state: State, said: Phrase, place: Place) -> dict[str, Value]:
    """Values after "Actually, make it four", for the field that is named, else the latest."""
    pending = state.pending
    latest = [plan.field(key) for key in reversed(list(state.values))]
    named = named_field(plan, said)
    for field in ([named] if named else []) + latest:
        if field.is_qualification or (field.kind in _ONLY_WHEN_ASKED and field is not named):
            continue
        if field.kind is Kind.NAME and not (
            field is named
            or (pending is not None and pending.topic in _SUMMARY_TOPICS)
            or (state.values and list(state.values)[-1] == field.key)
        ):
            continue
        # Free text would fit any choice field. Only one of its choices is a correction.
        expected = field is named or field.kind is not Kind.CHOICE
        found = find(field, said, place, expected=expected)
        values = _assigned(plan, state, [field], _wanted(said, found), said, sure=True)
        if values:
            return values
    return {}


def named_field(plan: DialoguePlan, said: Phrase) -> Field | None:
    """The slot whose name is said: "the time is wrong"."""
    for field in plan.slots:
        words = {*field.label.split(), field.kind.value} - {"text", "yes", "no", "of", "the"}
        if said.has(words):
            return field
    return None

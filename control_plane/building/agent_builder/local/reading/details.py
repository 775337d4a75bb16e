"""The details that a sentence tells the agent to ask for.

``Ask for their name, party size and whether they need a high chair`` contains three.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from contracts.agent_config import RequiredSlot
from control_plane.building.agent_builder.local.caller_questions import (
    addressed,
    is_clause,
    question_of,
)
from control_plane.building.agent_builder.local.reading.known_details import known_slots
from pipelines.playbook.values.slot_types import Kind, fields

_LISTENER = (
    r"(?: (?:them|him|her|callers?|customers?|guests?|patients?|people|users?|leads?|clients?|"
    r"visitors?|(?:the|each|every|a|any|new) "
    r"(?:callers?|customers?|guests?|patients?|users?|leads?|clients?|prospects?|person)))?"
)
_ASKS = re.compile(
    r"\b(?:ask(?:s|ing)?|collect(?:s|ing)?|gather(?:s|ing)?|captur(?:e|es|ing)|"
    r"record(?:s|ing)?(?= (?:the|their|a|name))|not(?:e|es|ing)(?: down)? (?=the|their)|"
    r"find(?:s|ing)? out|obtain(?:s|ing)?|request(?:s|ing)? (?=the|their)|"
    r"writ(?:e|es|ing) down|determin(?:e|es|ing)|establish(?:es)?|learn(?:s)? (?=the|their|what)|"
    r"needs? to know|required (?:info(?:rmation)?|fields|details)(?: are| is)?|"
    r"(?:details|information|questions|fields|data) to (?:ask|collect|gather)(?: for)?|"
    r"(?:inquir|enquir)(?:e|es|ing))\b"
    rf"{_LISTENER}(?: (?:for|about|on|of|down))?[:, ]+",
    re.IGNORECASE,
)
_TAKES = re.compile(
    r"\b(?:tak(?:e|es|ing)(?: down)?|get(?:s|ting)?|confirm(?:s|ing)?|verif(?:y|ies|ying)|"
    r"check(?:s|ing)?|qualif(?:y|ies|ying)\b[^.:]{0,40}? (?:by|on|with)|(?:we|it|you|they) needs?|"
    r"including|includes?|with(?= (?:(?:their|the|a) )?(?:name|date|day|time|phone|email)))\b"
    rf"{_LISTENER}(?: (?:for|about|on))?[:, ]+",
    re.IGNORECASE,
)
"""Verbs with several meanings. After them only well-known details count."""
_CALLER_ASKS = re.compile(
    r"\b(?:callers?|customers?|they|someone|somebody|anyone|anybody|people|guests?|patients?|"
    r"users?|he|she|who|clients?|leads?|never|not|don't|stop|to be|without|before|no need to)\s*$",
    re.IGNORECASE,
)
_END = re.compile(
    r"[.;!?]|\s[—–-]\s|:(?=\s)|"
    r"\b(?:and then|then|before|after(?:wards)?|so that|so (?=we|you|they|it|I|our|a )|"
    r"in order to|because|but|unless|until|"
    r"to (?=book|schedule|confirm|reserve|arrange|set|help|complete|place|make|see|find|be ))\b",
    re.IGNORECASE,
)
_SEPARATOR = re.compile(
    r"\s*(?:,|;|&|\band/or\b|\bas well as\b|\bplus\b|\balong with\b|\band\b)\s*", re.IGNORECASE
)
_KEPT_WHOLE = re.compile(
    r"\b(?P<left>date|day|time|first|make|name|model|terms|check-?in|bed|pick-?up|full)"
    r" (?:and|&) (?P<right>time|date|day|last|model|make|surname|conditions|breakfast|drop-?off)\b",
    re.IGNORECASE,
)
_JOINT = "\0"
_STOP_VERBS = re.compile(
    r"^(?:also )?(?:offers?|books?|schedules?|transfers?|says?|tells?|ends?|closes?|sends?|calls?|"
    r"answers?|be|is|never|do|don't|does|reads?|thanks?|explains?|reschedules?|gives?|provides?|"
    r"helps?|hands?|escalates?|promise|repeats?|reminds?|stays?|keeps?|routes?|forwards?|logs?|"
    r"creates?|opens?|arranges?|lets?|makes?|tr(?:y|ies)|mentions?|confirms? (?!their|the \w+ name)"
    r"|speaks?|sounds?|always|it|we|i|you|greets?|finds? (?!out)|sells?|if (?:it|so|not|yes|no)\b|"
    r"upsells?|recommends?|suggests?|wait|the agent|an agent|should|must|can|will)\b",
    re.IGNORECASE,
)
_LEAD_IN = re.compile(
    r"^(?:(?:also|politely|with|for|about|asks?|down|of|then|first|finally|collects?|gets?|takes?|"
    r"finds? out|confirms?|optionally|the following)[ :]+)+",
    re.IGNORECASE,
)
_DETERMINERS = re.compile(
    r"^(?:(?:the|their|his|her|a|an|some|any|each|your|its|basic|valid|best|good|"
    r"(?:the )?(?:caller|customer|guest|patient|client|lead|user|person)s?'s?)\s+)+",
    re.IGNORECASE,
)
_GENERIC = re.compile(
    r"^(?:(?:few|short|simple|basic|following|necessary|relevant|required|all|contact|key|these|"
    r"some|\w+ing|booking|caller|customer)\s+)*"
    r"(?:details?|information|info|questions?|things?|data|basics?|facts|detail)$",
    re.IGNORECASE,
)
_NOT_ASKED_FOR = re.compile(
    r"^(?:(?:table|new|online|phone|food|their|room|hair|overdue|outstanding|unpaid|late|missed) )*"
    r"(?:bookings?|reservations?|appointments?|orders?|calls?|care|messages|payments?|debts?|"
    r"money|fees|dues|rent|bills|invoices|donations|permission|consent|help|it|this|that|"
    r"them|you|me|us|over|notes?|human|person|manager|questions?|"
    r"leads|everything|rid|back|in touch|sure|ready|started|place|advantage)$",
    re.IGNORECASE,
)
_HOW_TO_ASK = re.compile(
    r"^(?:(?:only|just|no more than|at most) )?(?:one|a single|1|two|short|brief|clarifying|"
    r"follow[- ]?up|open(?:[- ]ended)?|multiple|several|too many|any more|further)\b"
    r".*\bquestions?\b"
    r"|^(?:how|what|if|whether) (?:you|we|i|it) (?:can|may|could)\b.*\b(?:help|assist|do)\b"
    r"|^(?:they|he|she|you|we|it)(?:'d|'ll|'re|'ve|’d)?$"
    r"|^(?:if|whether|how|what|when|where) (?:they|he|she)(?:'d|’d)?$"
    r"|^(?:politely|gently|kindly|nicely|quickly|carefully|firmly|slowly|again\b.*)$"
    r"|^(?:for )?clarification\b|^(?:if|whether) there(?:'s| is| are) (?:anything|something)\b"
    r"|^(?:one|each) (?:at a time|by one)$",
    re.IGNORECASE,
)
"""Instructions and scraps of sentences, which no caller can answer."""
_MANNER = re.compile(r" (?:politely|gently|kindly|nicely|quickly|carefully|firmly)$", re.IGNORECASE)
_IS_ABOUT_CALLER = re.compile(r"^(?:whether|their)\b", re.IGNORECASE)
_BARE_LIST = re.compile(r"^[^.!?:]+,[^.!?:]+[.]?$")
_SUCH_AS = re.compile(
    r"\s*\b(?:such as|including|like|e\.g\.|for example|i\.e\.|namely)\b[:,]?\s*", re.IGNORECASE
)
_BRACKETED = re.compile(r"\(([^()]*)\)")
_LONGEST_ITEM_WORDS = 14
_LONGEST_LABEL_WORDS = 5
_MOST_DETAILS = 20
_NOT_IN_LABELS = frozenset(
    (
        "the a an their they your you if whether what which where when how is are do does of to "
        "for our us we it in on at them that there be who why or and any have has"
    ).split()
)


@dataclass(frozen=True)
class _Item:
    text: str
    is_optional: bool
    choices: str
    """The text in brackets, for example ``small, medium or large``."""


def details_in(sentence: str) -> tuple[RequiredSlot, ...]:
    """The details in the order of the sentence, without duplicates."""
    found: dict[str, RequiredSlot] = {}
    for listed, is_sure in _lists(sentence):
        for item in _items(listed):
            for wanted in _slots(item, is_sure=is_sure):
                found.setdefault(wanted.name, wanted)
    return tuple(found.values())[:_MOST_DETAILS] or _bare_list(sentence)


def _bare_list(sentence: str) -> tuple[RequiredSlot, ...]:
    """The details of a bare list such as ``Name, phone, date and time.``, if all are well known."""
    if not _BARE_LIST.match(sentence):
        return ()
    found = [_slots(item, is_sure=False) for item in _items(sentence)]
    if len(found) < 2 or not all(found):
        return ()
    return tuple({wanted.name: wanted for slots in found for wanted in slots}.values())


def detail_named(phrase: str) -> tuple[RequiredSlot, ...]:
    """The slots for a phrase such as "their shoe size"."""
    found = {
        wanted.name: wanted for item in _items(phrase) for wanted in _slots(item, is_sure=True)
    }
    return tuple(found.values())[:_MOST_DETAILS]


def _lists(sentence: str) -> Iterator[tuple[str, bool]]:
    spans = sorted(
        (match.start(), match.end(), is_sure)
        for pattern, is_sure in ((_ASKS, True), (_TAKES, False))
        for match in pattern.finditer(sentence)
    )
    for start, end, is_sure in spans:
        if _CALLER_ASKS.search(sentence[:start]):
            continue
        masked = _BRACKETED.sub(lambda match: "_" * len(match[0]), sentence)
        stop = _END.search(masked, end)
        yield sentence[end : stop.start() if stop else len(sentence)], is_sure


def _items(listed: str) -> Iterator[_Item]:
    kept = _KEPT_WHOLE.sub(lambda m: f"{m['left']} {_JOINT} {m['right']}", listed)
    bracketed: list[str] = []

    def put_aside(match: re.Match[str]) -> str:
        bracketed.append(match[1])
        return f" \1{len(bracketed) - 1}\1 "

    kept = _BRACKETED.sub(put_aside, kept)
    for number, part in enumerate(_SEPARATOR.split(kept)):
        text = part.replace(_JOINT, "and").strip(" .\"'")
        if number and _STOP_VERBS.match(text):
            return
        brackets = [bracketed[int(index)] for index in re.findall("\1(\\d+)\1", text)]
        text = re.sub("\\s*\1\\d+\1\\s*", " ", text).strip()
        note = " ".join(brackets)
        is_optional = bool(re.search(r"\boptional(?:ly)?\b", f"{text} {note}", re.IGNORECASE))
        head, *rest = _SUCH_AS.split(_LEAD_IN.sub("", text), maxsplit=1)
        choices = note if re.search(r",|\bor\b|/", note) else ""
        if rest and _GENERIC.match(_DETERMINERS.sub("", head)):
            head = rest[0]
        head = re.sub(r"\boptional(?:ly)?\b", "", head, flags=re.IGNORECASE).strip()
        if head:
            yield _Item(head, is_optional, choices)


def _slots(item: _Item, *, is_sure: bool) -> tuple[RequiredSlot, ...]:
    """The slots for one item of a list; empty if it is not a detail, or not certainly one."""
    text = item.text
    bare = _MANNER.sub("", _DETERMINERS.sub("", text).strip())
    if not bare or len(bare.split()) > _LONGEST_ITEM_WORDS or _NOT_ASKED_FOR.match(bare):
        return ()
    if _HOW_TO_ASK.match(bare) or _HOW_TO_ASK.match(text):
        return ()
    if _GENERIC.match(bare) and not known_slots(bare):
        return ()
    found = known_slots(bare)
    if not found and (is_sure or _IS_ABOUT_CALLER.match(text)):
        found = _own_slot(text, bare, item.choices)
    if item.is_optional:
        return tuple(slot.model_copy(update={"required": False}) for slot in found)
    return found


def _own_slot(text: str, bare: str, choices: str) -> tuple[RequiredSlot, ...]:
    """A detail that is not well known."""
    if is_clause(text):
        return (RequiredSlot(name=_name(text), description=question_of(text)),)
    if len(bare.split()) > _LONGEST_LABEL_WORDS + 2 or not re.search(r"[^\W\d_]", bare):
        return ()
    label = addressed(bare)
    if choices:
        return (_choice(bare, choices),)
    if re.search(r"\b(?:you|who|that)\b", label):
        return (RequiredSlot(name=_name(bare), description=f"Could you tell me the {label}?"),)
    verb = "are" if re.search(r"[^su]s(?: of\b.*)?$", label) else "is"
    whose = "the" if text.lower().startswith(("the ", "its ")) else "your"
    return (RequiredSlot(name=_name(bare), description=f"What {verb} {whose} {label}?"),)


def _choice(bare: str, choices: str) -> RequiredSlot:
    """A slot that the playbook engine treats as a choice.

    A name with a word such as "size" would make it a number.
    """
    slot = RequiredSlot(name=_name(bare), description=f"one of: {choices}")
    kinds = {field.kind for field in fields(slot)}
    if kinds <= {Kind.CHOICE, Kind.TEXT}:
        return slot
    name = re.sub(r"_?(?:size|number|count|time|day|date)\b", "", slot.name) or "preferred"
    return slot.model_copy(update={"name": f"{name}_option"})


def _name(text: str) -> str:
    """``whether they own a home`` → ``own_home``."""
    words = re.findall(r"[^\W_]+", text.lower().replace("'", ""))
    telling = [word for word in words if word not in _NOT_IN_LABELS] or words
    return "_".join(telling[:_LONGEST_LABEL_WORDS])[:60]

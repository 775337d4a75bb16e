"""What the agent says word for word: its opener, its closing, its goodbye."""

from __future__ import annotations

import re

from pipelines.texts.extraction.draft import Draft
from pipelines.texts.extraction.statements import QUOTED, Statement
from pipelines.texts.extraction.topics import Topic

_OPENS = re.compile(
    r"^(?:first,? |always |please |you (?:should |must |always )?)*(?:start|begin|open|greet|answer"
    r"|introduce|welcome|pick up)\b|^(?:your |the )?(?:first (?:words|message|line|sentence)"
    r"|greeting|opener|opening(?: line| message)?|introduction)\b|^first,? say\b"
    r"|^say[^.]*\b(?:when (?:you )?(?:pick up|answer|the call (?:starts|begins))"
    r"|at the (?:start|beginning)|first)\b",
    re.IGNORECASE,
)
_CLOSES = re.compile(
    r"^(?:finally,? |always |please |at the end,? |to |you (?:should |must )?"
    r"|before (?:ending|hanging up|you hang up),? )*(?:end|finish|close|wrap up|conclude|hang up"
    r"|say good ?bye|sign off|thank|before (?:ending|hanging))\b"
    r"|^(?:your |the )?(?:closing|good ?bye|sign[- ]off|last words|final words|farewell)\b"
    r"|\b(?:at the end of (?:the|each|every) call|before (?:you )?hang(?:ing)? up|say good ?bye"
    r"|when the (?:call|conversation) (?:ends|is over))\b",
    re.IGNORECASE,
)
_FAREWELL_WORDS = re.compile(
    r"\b(?:good ?bye|bye|thank|thanks|(?:good|great|nice|wonderful) day|take care|farewell)\b",
    re.IGNORECASE,
)
_PROMISES = re.compile(r"\b(?:call to action|cta|close)\b", re.IGNORECASE)
_INSTRUCTION = re.compile(
    r"^(?:greet|introduce|ask|say|start|begin|thank(?! you)|end|use|always|never|be|do|don'?t|state"
    r"|mention|confirm|offer|invite|tell|summari[sz]e|remind|wish|close|let|make|repeat|give"
    r"|provide|answer|open|welcome|politely|warmly|if|when|the agent|you)\b",
    re.IGNORECASE,
)


def quoted_in(text: str) -> str:
    match = QUOTED.search(text)
    return next(part for part in match.groups() if part).strip() if match else ""


def read_quotation(said: Statement, draft: Draft) -> bool:
    """Add an opener, a closing or a goodbye. Returns whether there was one."""
    text, words = said.text, quoted_in(said.text)
    before = text.split(words)[0] if words else text
    if words and _CLOSES.search(before) and not _OPENS.match(before):
        return _close(words, before, draft)
    if words and (_OPENS.match(before) or said.topic is Topic.OPENER) and not draft.opener:
        draft.opener = words
        return True
    spoken = words or ("" if _INSTRUCTION.match(text) else text)
    if not spoken:
        return False
    match said.topic:
        case Topic.OPENER if not draft.opener:
            draft.opener = spoken
        case Topic.FAREWELL if not draft.farewell:
            draft.farewell = spoken
        case Topic.CLOSING if not draft.closing:
            draft.closing = spoken
        case Topic.FALLBACK if not draft.fallback:
            draft.fallback = spoken
        case Topic.OPENER if not words and draft.opener:
            draft.opener = f"{draft.opener} {spoken}"
        case Topic.FAREWELL if not words and draft.farewell:
            draft.farewell = f"{draft.farewell} {spoken}"
        case Topic.CLOSING if not words and draft.closing:
            draft.closing = f"{draft.closing} {spoken}"
        case _:
            return False
    return True


def _close(words: str, before: str, draft: Draft) -> bool:
    is_farewell = _FAREWELL_WORDS.search(words) or not _PROMISES.search(before)
    if is_farewell and not draft.farewell:
        draft.farewell = words
        return True
    if not draft.closing:
        draft.closing = words
        return True
    return False

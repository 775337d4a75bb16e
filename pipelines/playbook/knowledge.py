"""Answers questions with the sentences that the agent's owner wrote about the company."""

from __future__ import annotations

import re
from collections.abc import Iterable

from contracts.agent_config import Persona
from pipelines.playbook.concepts import concepts, share_of
from pipelines.playbook.values.phrase import Phrase, phrase
from pipelines.texts.model_commands import is_command

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\n+")
_LINK = re.compile(r"^https?://\S+$")
_MARKS = re.compile(r"^\s*(?:[-*+>]|#{1,6}|\d+\.)\s+|[*_`]{1,3}(?=\S)|(?<=\S)[*_`]{1,3}")
_CODE = re.compile(r"[{}<>]|\]\s*[})]|\[/?[A-Z]+\]")
FOUND_SHARE = 0.4
"""The same for sentences that were looked up for the question: their passage is about it."""
_LEAST_SHARE = 0.6
"""The share of the question's concepts that an answer must contain."""
_HINTS = (
    (re.compile(r"\bhow much\b|\bwhat (?:does|do) .* cost\b"), "price"),
    (re.compile(r"\bwhere\b(?!.*\bpark)|\baddress\b"), "location"),
    (re.compile(r"\bwhen\b.*\bopen|\bhow late\b|\bopening\b|\bwhat hours\b"), "opening"),
)
_LOCATION_WORDS = re.compile(
    r"\b(?:street|avenue|road|lane|square|boulevard|drive|downtown|centre|center|floor|address|"
    r"located|location)\b",
    re.IGNORECASE,
)


def sentences(persona: Persona) -> tuple[str, ...]:
    """Every sentence that the agent may say. Addresses of web pages are left out."""
    passages: Iterable[str] = (persona.company_description or "", *persona.knowledge_base)
    return tuple(part for text in passages for part in sentences_of(text))


def sentences_of(passage: str) -> tuple[str, ...]:
    """Those of one passage that can be said: without the marks of Markdown, code, and what somebody
    wrote for a language model."""
    parts = (_MARKS.sub("", part).strip() for part in _SENTENCE_END.split(passage))
    return tuple(part for part in parts if part and not _is_unspeakable(part))


def _is_unspeakable(sentence: str) -> bool:
    return bool(_LINK.match(sentence) or _CODE.search(sentence)) or is_command(sentence)


def answer(said: Phrase, known: tuple[str, ...], least: float = _LEAST_SHARE) -> str | None:
    """The sentence that answers ``said`` at least with ``least``, or ``None``."""
    hint = next((concept for pattern, concept in _HINTS if pattern.search(said.plain)), None)
    asked = concepts(said.words)
    if hint is None and len(asked) > 1:
        # "Where can I park?" is about parking, not about our address.
        asked = asked - {"location"}
    if hint:
        asked = asked - {"much"} | {hint}
    best, best_rating = None, 0.0
    # In a price list, what something else costs is no answer.
    is_listed = sum("price" in concepts(phrase(sentence).words) for sentence in known) > 1
    for sentence in known:
        held = concepts(phrase(sentence).words)
        if hint == "price" and is_listed and asked - {hint} and not asked & held - {hint}:
            continue
        if _LOCATION_WORDS.search(sentence):
            held |= {"location"}
        rating = share_of(asked, held)
        if hint and hint in held:
            rating = max(rating, _LEAST_SHARE) + rating / 10
        if rating > best_rating:
            best, best_rating = sentence, rating
    return best if best_rating >= least else None

"""Word stems, and words that have the same meaning in objections and questions.

Triggers are written by an agent's owner ("fear of pain"); callers use other words ("does it
hurt?"). Both sides are reduced to concepts before they are compared.
"""

from __future__ import annotations

from collections.abc import Iterable

from rapidfuzz import fuzz

_SYNONYMS = {
    "price": "price pricey cost costly expensive cheap cheaper afford affordable fee charge money "
    "dollar pricing budget overpriced spend pay much",
    "pain": "pain painful painless hurt ache sore",
    "fear": "fear afraid scared scary frightened nervous anxious anxiety terrified worried worry "
    "dread phobia panic",
    "busy": "busy occupied",
    "time": "time long duration minute hour quick quickly",
    "trust": "trust scam fraud legit legitimate fake safe",
    "think": "think consider decide undecided",
    "later": "later another sometime",
    "location": "location located address where street find directions situated",
    "opening": "opening open opened hours close closed closing",
    "insurance": "insurance insured insurer coverage cover",
    "human": "human person someone somebody agent representative operator manager colleague staff",
    "competitor": "competitor competition elsewhere provider already",
    "interest": "interested interest",
    "cancel": "cancel cancellation reschedule",
    "emergency": "emergency urgent urgently",
    "website": "website site online web internet",
}
_STOPWORDS = frozenset(
    (
        "a an the i you he she it we they me him her us them my your his its our their is "
        "are was were be been being am do does did done have has had will would can could "
        "should shall may might must of to in on at by for with from as and or but if then "
        "than that this these those there here so too very really just about not no yes "
        "dont didnt cant wont isnt doesnt im ive id ill youre theyre its thats what which "
        "who how why when please ok okay well uh um says say said caller callers customer "
        "customers user patient client asks ask asking asked wants want mentions mention "
        "complains complain concerned concern objection objects thing something anything "
        "some any get got go going need tell know like one all up out into over more gonna "
        "sure mind thank thanks oh ah hello hi right now"
    ).split()
)
_ENDINGS = ("ingly", "ically", "edly", "ing", "ies", "ied", "ed", "es", "ly", "s", "e", "y")
_MISHEARD_SIMILARITY = 88
_MISHEARD_MIN_LETTERS = 5
_WORDS_ONLY = 0.99
"""Slightly less than a match by concept, so that half of the words is not half a match."""


def stem(word: str) -> str:
    """A rough stem, which is the same for "hurts", "hurting" and "hurt"."""
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = word.removesuffix(ending)
            break
    return word[:-1] if len(word) > 3 and word[-1] == word[-2] else word


_CONCEPT_OF_STEM = {
    stem(word): concept for concept, words in _SYNONYMS.items() for word in words.split()
}


def concepts(words: Iterable[str]) -> frozenset[str]:
    """The concepts of the words that carry meaning. A word without a concept is its own."""
    stems = (stem(word) for word in words if word not in _STOPWORDS and len(word) > 1)
    return frozenset(_CONCEPT_OF_STEM.get(found, found) for found in stems)


def share_of(wanted: frozenset[str], said: frozenset[str]) -> float:
    """The share of the ``wanted`` concepts that was said, 0 to 1. Misheard long words count.

    Concepts of the table count twice as much as other words. In "afraid of the dentist" the fear
    matters, because everybody who calls a clinic says "dentist".
    """
    weights = {want: 2 if want in _SYNONYMS else 1 for want in wanted}
    hits = [want for want in wanted if any(_alike(want, word) for word in said)]
    share = sum(weights[want] for want in hits) / max(sum(weights.values()), 1)
    return share if any(want in _SYNONYMS for want in hits) else share * _WORDS_ONLY


def _alike(want: str, word: str) -> bool:
    if want == word:
        return True
    long_enough = min(len(want), len(word)) >= _MISHEARD_MIN_LETTERS
    return long_enough and fuzz.ratio(want, word) >= _MISHEARD_SIMILARITY
